import Blocking
import Logging
import TransparencyLog

/// The logs of a witness.
struct WitnessedLogs: Sendable {
    /// Logs on one thread wait for each other's writes.
    private static let threads = 4
    /// In the order of their names.
    let all: [WitnessedLog]
    private let byOrigin: [TextLine: WitnessedLog]
    private let byName: [String: WitnessedLog]

    /// - Parameter logs: the logs' keys; several may have one origin.
    /// - Throws: ``CommandFailure`` if what was cosigned cannot be read, or belongs to another key; `TransparencyLogError` if a log's key
    ///   is the witness's.
    init(signer: SignerKey, logs: [VerifierKey], store: DurableFolder, logger: Logger) throws {
        try Self.claim(store, for: signer.verifier)
        let witness = try CheckpointWitness(signer: signer, logs: logs)
        let executors = (0..<Self.threads).map { BlockingExecutor(label: "witness-\($0)") }
        let origins = Dictionary(grouping: logs, by: \.name).sorted { $0.key.bytes.lexicographicallyPrecedes($1.key.bytes) }
        all = try origins.enumerated().map { index, log in
            try WitnessedLog(
                origin: log.key, keys: log.value, signer: signer, witness: witness, store: store, executor: executors[index % Self.threads],
                logger: logger)
        }
        byOrigin = Dictionary(uniqueKeysWithValues: all.map { ($0.origin, $0) })
        byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })
    }

    subscript(origin: TextLine) -> WitnessedLog? { byOrigin[origin] }
    subscript(name name: String) -> WitnessedLog? { byName[name] }

    /// A store is of one key: with another one all that it remembers would count for nothing.
    private static func claim(_ store: DurableFolder, for key: VerifierKey) throws {
        let own = Array("\(key)\n".utf8)
        guard let found = try store.read("key", limit: 4096) else { return try store.replace("key", with: own) }
        guard found == own else { throw CommandFailure("The store \(store.path) is that of another witness's key.") }
    }
}
