import Blocking
import CaptureProtocol
import Logging
import TransparencyLog

/// One log, as this witness knows it: decides about one request after the other, and answers when what it cosigned is durable.
actor WitnessedLog {
    nonisolated let origin: TextLine
    /// What the monitoring prefix calls it: SHA-256 of the origin, in hex.
    nonisolated let name: String
    nonisolated let keys: [VerifierKey]
    private let witness: CheckpointWitness
    private let store: DurableFolder
    private let logger: Logger
    /// fsync(2) blocks.
    private let executor: BlockingExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Size and root of what was cosigned last.
    private(set) var latest: TreeHead
    /// The checkpoint that was cosigned last, with the log's signatures and our cosignature; `nil` before the first one.
    private(set) var checkpoint: SignedNote?
    private var hasKeptFork = false

    /// Reads what was cosigned last.
    /// - Parameter keys: the log's; their name is the origin.
    /// - Throws: ``CommandFailure`` if the file is there but is not what this witness has cosigned of this log.
    init(
        origin: TextLine, keys: [VerifierKey], signer: SignerKey, witness: CheckpointWitness, store: DurableFolder,
        executor: BlockingExecutor,
        logger: Logger
    ) throws {
        self.origin = origin
        self.keys = keys
        self.witness = witness
        self.store = store
        self.executor = executor
        self.logger = logger
        name = ContentDigest(of: origin.bytes).hex
        latest = .empty
        guard let bytes = try store.read(name, limit: SignedNote.maximumBytes) else { return }
        guard let note = try? SignedNote(bytes), let cosigned = try? note.verified(by: [signer.verifier]), !cosigned.isEmpty,
            let signed = try? note.verified(by: keys), !signed.isEmpty, let text = try? Checkpoint(text: note.text), text.origin == origin
        else {
            throw CommandFailure(
                "\(store.path)/\(name) is not what \(signer.verifier.name) has cosigned of \(origin): a witness that forgets vouches for forks."
            )
        }
        checkpoint = note
        latest = text.head
    }

    /// - Throws: ``CommandFailure`` if what is to be cosigned cannot be stored; then it is not cosigned.
    func answer(_ request: CheckpointSubmission, at seconds: UInt64) throws -> WitnessAnswer {
        let answer = try witness.answer(request, latest: latest, at: seconds)
        switch answer {
        case .cosigned(_, let note, let head):
            try store.replace(name, with: note.bytes)
            logger.info("\(origin): cosigned \(head.size) leaves")
            (latest, checkpoint) = (head, note)
        case .inconsistent:
            logger.error("\(origin): refused \(request.checkpoint.size) leaves, which do not begin with the \(latest.size) cosigned ones")
            if request.checkpoint.size == latest.size { keepFork(request.note) }
        case .conflict(let size): logger.info("\(origin): said that \(size) leaves are cosigned, not \(request.oldSize)")
        case .forbidden: logger.warning("\(origin): refused a checkpoint without a good signature of the log")
        case .malformed: logger.warning("\(origin): refused a checkpoint that is smaller than it says the last one was")
        case .unknownLog: break
        }
        return answer
    }

    /// Two signed trees of one size are proof that the log forked: the first such pair is kept for whoever has to know.
    private func keepFork(_ note: SignedNote) {
        guard !hasKeptFork, let checkpoint, let other = note.reduced(to: keys) else { return }
        do {
            if try store.read("\(name).fork-1", limit: SignedNote.maximumBytes) == nil {
                try store.replace("\(name).fork-2", with: other.bytes)
                try store.replace("\(name).fork-1", with: checkpoint.bytes)
            }
            hasKeptFork = true
            logger.critical("\(origin): has signed two trees of one size; both notes are in \(store.path)/\(name).fork-1 and -2")
        } catch {
            logger.error("\(origin): the notes of two trees of one size cannot be kept: \(error)")
        }
    }
}
