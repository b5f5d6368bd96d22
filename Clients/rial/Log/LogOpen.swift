import ArgumentParser
import Foundation
import ServiceRuntime
import Signing
import TransparencyLog

/// Opens a shard of the public log.
struct LogOpen: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open",
        abstract: "Opens a shard of the public log.",
        discussion: """
            Reads \(OperatorSettings.ownerDatabase), and RIAL_PUBLIC_URL, whose host begins the origin for the shard's whole life. The \
            service must have the shard's key and a policy with it before it is started. Opening the shard that is open changes nothing.
            """)

    @Argument(help: "The shard's name, usually the year; with --first this year unless it is given.")
    var shard: String?

    @Flag(help: "Only if there is none yet.")
    var first = false

    @Option(help: "The shard's verifier key, as `rial log key` shows it.")
    var key: String?

    @Option(help: "Instead of --key: a file with the public key, in PEM.")
    var publicKey: String?

    @Option(help: "Instead of --key: a file with the private key, in PEM.")
    var privateKey: String?

    func validate() throws {
        guard [key, publicKey, privateKey].compactMap(\.self).count == 1 else {
            throw ValidationError("give one of --key, --public-key and --private-key")
        }
        if shard == nil, !first { throw ValidationError("give the shard's name") }
    }

    func run() async throws {
        let shard = shard ?? String(Calendar(identifier: .gregorian).component(.year, from: Date()))
        let origin = try LogOrigin.make(ServiceEnvironment(), shard: shard)
        let key = try verifierKey(origin)
        guard key.kind == .log, key.name == origin else {
            throw ValidationError("the key's name must be the shard's origin, \(origin)")
        }
        let first = first
        let isOpen = try await LogShards.with { shards in
            if first, try await !shards.all().isEmpty { return true }
            if try await shards.all().contains(where: { !$0.isClosed && $0.shard == shard && $0.key == key.description }) { return true }
            try await shards.open(shard, key: key)
            return false
        }
        Console.result(isOpen ? "log: unchanged" : "log: \(origin) is open")
    }

    private func verifierKey(_ origin: TextLine) throws -> VerifierKey {
        if let key { return try VerifierKey(key) }
        if let privateKey {
            let signer = try PEMMessageSigner(privateKeyPEM: try String(contentsOfFile: privateKey, encoding: .utf8))
            return try VerifierKey(name: origin, kind: .log, publicKey: signer.publicKey)
        }
        guard let publicKey else { throw ValidationError("there is no key") }
        let bytes = try PEMMessageSigner.publicKey(pem: try String(contentsOfFile: publicKey, encoding: .utf8))
        return try VerifierKey(name: origin, kind: .log, publicKey: bytes)
    }
}

/// Closes the open shard.
struct LogClose: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "close",
        abstract: "Closes the open shard of the public log, for the next one's key.",
        discussion: """
            The running service enters what waits, then the last leaf with the next key, publishes the final checkpoint, and asks \
            witnesses until it has a quorum; this command waits for it. Reads \(OperatorSettings.ownerDatabase).

            With --give-up a frozen shard that cannot be recovered ends where it was published last. Unless its last leaf was published, \
            the next one may have any new key.
            """)

    @Option(help: "The next shard's verifier key.")
    var next: String?

    @Flag(help: "Give up a frozen shard that cannot be recovered.")
    var giveUp = false

    @Option(help: "With --give-up: the shard, which may be closed; the open one unless it is given.")
    var shard: String?

    @Option(help: "How long to wait for the service.")
    var wait = 120

    func validate() throws {
        guard (next == nil) == giveUp else { throw ValidationError("give --next KEY, or --give-up for a frozen shard") }
        if shard != nil, !giveUp { throw ValidationError("--shard is for --give-up") }
    }

    func run() async throws {
        let next = try next.map { try VerifierKey($0) }
        let deadline = ContinuousClock.now + .seconds(wait)
        let name = shard
        try await LogShards.with { shards in
            guard let open = try await shards.all().first(where: { name == nil ? !$0.isClosed : $0.shard == name }) else {
                throw CommandFailure(name.map { "There is no shard \($0)." } ?? "No shard is open.")
            }
            guard let next else {
                guard open.frozen != nil else { throw CommandFailure("The shard \(open.shard) is not frozen: close it with --next.") }
                return try await shards.giveUp(open)
            }
            if let frozen = open.frozen {
                throw CommandFailure("The shard \(open.shard) is frozen (\(frozen)): recover it first, or give it up.")
            }
            guard next.kind == .log else { throw CommandFailure("The next shard needs a log's key.") }
            try await shards.close(open, next: next)
            while try await shards.all().contains(where: { $0.shard == open.shard && !$0.isClosed }) {
                guard ContinuousClock.now < deadline else {
                    throw CommandFailure("The shard \(open.shard) is not closed yet; transparency-log continues with it.")
                }
                try await Task.sleep(for: .milliseconds(200))
            }
        }
        Console.result("log: closed")
    }
}

/// Shows how the log stands.
struct LogStatus: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Shows the shards of the public log, their sizes, and whether one is frozen.",
        discussion: "Reads RIAL_DATABASE_URL. Exits with 1 if the open shard is frozen, or none is open.")

    func run() async throws {
        let (shards, pending) = try await LogShards.with { shards in
            let pending = try await shards.pending()
            return (try await shards.all(), pending)
        }
        for shard in shards {
            let frozen = shard.frozen.map { "\(shard.isGivenUp ? "given up" : "frozen"): \($0), \(shard.detail ?? "")" }
            let state = frozen ?? (shard.isClosed ? "closed" : "open")
            Console.result("\(shard.origin): \(state); \(shard.publishedSize) published of \(shard.size); \(shard.key)")
        }
        Console.result("\(pending) statements wait")
        guard let open = shards.first(where: { !$0.isClosed }), open.frozen == nil else { throw ExitCode(1) }
    }
}
