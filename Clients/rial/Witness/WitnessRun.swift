import ArgumentParser
import Blocking
import Foundation
import Logging
import ServiceRuntime
import TransparencyLog

/// Runs a witness until it is told to end.
struct WitnessRun: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Runs a witness over HTTP (c2sp.org/tlog-witness).",
        discussion: """
            Submission and monitoring prefix are the same: POST /add-checkpoint, GET /{SHA-256 of the origin, hex}/checkpoint. A cosignature \
            leaves when what was cosigned is durable in the store. Never set the store back, delete it, or run two with one key: a witness that \
            forgets vouches for forks. Put a server with TLS before it. SIGTERM ends it. RIAL_LOG_LEVEL: info, or warning for refusals alone.
            """)

    @Option(help: "The witness's name.")
    var name: String
    @Option(help: "The file with its private key, made by `rial witness key`.")
    var key: String
    @Option(help: "A file of c2sp.org/tlog-policy whose log lines are the logs to witness; the rest of it is not used.")
    var logs: String
    @Option(help: "The folder for what was cosigned last, a file for each log.")
    var store: String
    @Option(help: "Address and port, as 127.0.0.1:8080 or [::1]:8080; port 0 for any free one.")
    var listen: ListenAddress

    func run() async throws {
        let signer = try WitnessKeyFile.read(key, name: name)
        let logger = Self.logger()
        let known = try WitnessedLogs(
            signer: signer, logs: try PolicyFile.read(logs).logs.map(\.key), store: DurableFolder(store), logger: logger)
        logger.notice("this is \(signer.verifier)")
        for log in known.all {
            let size = await log.latest.size
            logger.notice("\(log.origin): \(size) leaves cosigned")
        }
        try await WitnessServer(logs: known, logger: logger, now: { Date() }).run(on: listen)
        logger.notice("ended")
    }

    private static func logger() -> Logger {
        var logger = Logger(label: "witness") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = (try? ServiceEnvironment().logLevel()) ?? .info
        return logger
    }
}

/// Where a server listens.
struct ListenAddress: ExpressibleByArgument {
    let host: String
    let port: Int

    init?(argument: String) {
        guard let colon = argument.lastIndex(of: ":") else { return nil }
        let digits = argument[argument.index(after: colon)...]
        // UInt16 takes a sign as well.
        guard digits.first?.isWholeNumber == true, let port = UInt16(digits) else { return nil }
        let host = argument[..<colon]
        let isBracketed = host.first == "[" && host.last == "]"
        guard !host.isEmpty, isBracketed || !host.contains(":") else { return nil }
        self.host = String(isBracketed ? host.dropFirst().dropLast() : host)
        self.port = Int(port)
    }
}
