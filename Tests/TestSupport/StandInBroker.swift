public import Foundation
import Synchronization
import Testing

/// A certificate authority and a broker's certificate, made by openssl; deleted with the last reference.
public final class TestAuthority: Sendable {
    private let folder: URL
    public var root: URL { folder.appending(path: "root.pem") }
    var certificate: URL { folder.appending(path: "broker.pem") }
    var key: URL { folder.appending(path: "broker.key") }

    /// - Parameter host: the host in the broker's certificate.
    public init(host: String = "localhost") throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "rial-authority-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data("subjectAltName=DNS:\(host)\nbasicConstraints=CA:FALSE\n".utf8).write(to: folder.appending(path: "extensions"))
        let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        for arguments in [
            ["req", "-x509", "-keyout", "root.key", "-out", "root.pem", "-days", "2", "-subj", "/CN=test root"] + key,
            ["req", "-keyout", "broker.key", "-out", "broker.csr", "-subj", "/CN=test broker"] + key,
            [
                "x509", "-req", "-in", "broker.csr", "-CA", "root.pem", "-CAkey", "root.key", "-CAcreateserial", "-days", "2",
                "-extfile", "extensions", "-out", "broker.pem",
            ],
        ] {
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/openssl")
            process.arguments = arguments
            process.currentDirectoryURL = folder
            process.standardError = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            try #require(process.terminationStatus == 0, "openssl \(arguments[0])")
        }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }
}

/// Runs `Tests/broker/stand_in_broker.py`, which accepts or rejects clients and can grow topics; the process ends with the last reference.
///
/// `@unchecked Sendable`: the process is started before the value is shared and only ends afterwards; what is written to it meanwhile are
/// lines shorter than a pipe's atomic write.
public final class StandInBroker: @unchecked Sendable {
    public let address: String
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private let lines = Mutex<[String]>([])

    public init(_ authority: TestAuthority? = nil, mechanism: String? = nil, user: String? = nil, password: String? = nil) throws {
        let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "broker/stand_in_broker.py")
        var arguments = ["python3", script.path]
        if let authority { arguments += ["--certificate", authority.certificate.path, "--key", authority.key.path] }
        for (name, value) in [("--mechanism", mechanism), ("--user", user), ("--password", password)] {
            if let value { arguments += [name, value] }
        }
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        var first = Data()
        while !first.contains(UInt8(ascii: "\n")) {
            let more = output.fileHandleForReading.availableData
            try #require(!more.isEmpty, "the broker ended")
            first += more
        }
        let port = try #require(String(decoding: first, as: UTF8.self).split(separator: "\n").first?.split(separator: " ").last)
        address = "localhost:\(port)"
        output.fileHandleForReading.readabilityHandler = { [weak self] handle in
            let text = String(decoding: handle.availableData, as: UTF8.self)
            self?.lines.withLock { $0 += text.split(separator: "\n").map(String.init) }
        }
    }

    deinit {
        output.fileHandleForReading.readabilityHandler = nil
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// The lines that it printed, one JSON object each.
    public var told: [String] { lines.withLock { $0 } }

    /// Puts so many records into the topic's first partition.
    public func setEnd(of topic: String, to count: Int) throws { try change(#"{"end": ["\#(topic)", \#(count)]}"#) }

    /// Makes so many of them handled by a group.
    public func commit(_ count: Int, of topic: String, by group: String) throws {
        try change(#"{"committed": ["\#(group)", "\#(topic)", \#(count)]}"#)
    }

    private func change(_ line: String) throws { try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8)) }
}
