import Foundation
import Inspection

/// Files and programs for the tests.
enum Fixtures {
    private static let resources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Resources")
    static let rootFile = resources.appendingPathComponent("root.pem").path

    static func resource(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: resources.appendingPathComponent(name))) }

    /// The program built together with the tests.
    static var inspector: String {
        let running = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
        return URL(fileURLWithPath: running).deletingLastPathComponent().appendingPathComponent("c2pa-inspector").path
    }

    static func pool(
        _ executable: String = inspector, concurrency: Int = 2, waiting: Int = 200, limits: InspectionLimits = InspectionLimits()
    ) -> InspectorPool {
        InspectorPool(executable: executable, trustAnchorsFile: rootFile, concurrency: concurrency, waiting: waiting, limits: limits)
    }

    /// Child processes of this process that were not reaped, running or not.
    static func children() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { $0.allSatisfy(\.isNumber) }.compactMap { process in
            guard let line = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else { return nil }
            let fields = fields(behindName: line)
            return fields.count > 2 && fields[2] == "\(getpid())" ? line : nil
        }
    }

    /// Of a line as in proc(5): after the name in parentheses, whose end is the first field, come the state and the parent.
    static func fields(behindName line: String) -> [Substring] {
        line.suffix(from: line.lastIndex(of: ")") ?? line.startIndex).split(separator: " ")
    }
}

/// A temporary file, deleted with the last reference.
final class TemporaryFile: Sendable {
    let path: String
    let descriptor: Int32

    init(_ bytes: some Sequence<UInt8> = [], isProgram: Bool = false) throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("inspection-\(UUID().uuidString)").path
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        if isProgram { try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path) }
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
    }

    /// A shell script that replaces the inspector.
    convenience init(script: String) throws { try self.init(Array("#!/bin/sh\n\(script)\n".utf8), isProgram: true) }

    deinit {
        close(descriptor)
        unlink(path)
    }
}
