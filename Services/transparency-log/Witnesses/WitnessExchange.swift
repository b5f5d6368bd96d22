import Foundation
import Logging
import Metrics
import TransparencyLog

/// The result of asking one witness.
enum WitnessOutcome: Sendable, Equatable {
    case cosigned(KeptCosignature)
    /// It has cosigned a tree that this log does not have: a different one, or a larger one.
    case contradicts(Freeze)
    case failed(WitnessFailure)
    /// The size that it has cosigned, where only that was asked for.
    case size(UInt64)
}

/// Asks one witness for a cosignature: the old size that it knows, the proof from there, and what it answers.
struct WitnessExchange: Sendable {
    /// How far from now a cosignature may be.
    static let tolerance: TimeInterval = 300
    /// Its size may have changed since it was learnt, once or twice.
    private static let maximumRequests = 3
    let connection: any WitnessConnection
    let note: SignedNote
    let head: TreeHead
    /// Size of the committed tree: a witness beyond it has seen more than there is.
    let committedSize: UInt64
    let now: @Sendable () -> Date
    let logger: Logger

    /// - Parameters:
    ///   - oldSize: what the witness is thought to have.
    ///   - proof: makes a proof from a size to the head's, verified with our own roots; `nil` to learn its size alone.
    func run(from oldSize: UInt64, proof: (@Sendable (UInt64) async throws -> ConsistencyProof)?) async -> WitnessOutcome {
        var old = oldSize <= head.size ? oldSize : 0
        for _ in 0..<Self.maximumRequests {
            let submission: CheckpointSubmission
            let reply: WitnessReply
            do {
                let isEmpty = old == 0 || old == head.size
                let hashes = isEmpty ? ConsistencyProof(hashes: []) : try await proof?(old) ?? ConsistencyProof(hashes: [])
                submission = try CheckpointSubmission(oldSize: old, proof: hashes, note: note)
            } catch {
                // A damaged tile of an old part of the tree, too: what is to be signed needs none of it, and the scrub restores it, or
                // freezes the log if no copy is right.
                logger.warning(
                    "the proof for a witness could not be made", error: error,
                    metadata: ["witness": "\(name)", "from": "\(old)", "size": "\(head.size)"])
                return .failed(.proof)
            }
            do { reply = try await connection.add(submission) } catch { return .failed(.unreachable) }
            switch reply.status {
            case 200: return outcome(of: reply.body)
            case 409:
                guard let size = try? WitnessAnswer.size(reply.body) else { return .failed(.malformed) }
                if size > committedSize {
                    return .contradicts(Freeze(.witnessAhead, "\(name) has cosigned \(size) leaves of \(committedSize)"))
                }
                // c2sp.org/tlog-witness: equal sizes conflict if their roots differ.
                if size == old, size == head.size { return .contradicts(refusal(of: size)) }
                guard proof != nil else { return .size(size) }
                guard size != old, size <= head.size else { return .failed(.conflict) }
                old = size
            case 422: return old > 0 ? .contradicts(refusal(of: old)) : .failed(.refused)
            case 429: return .failed(.limited)
            case 500...599: return .failed(.unavailable)
            default: return .failed(.refused)
            }
        }
        return .failed(.conflict)
    }

    private var name: String { connection.witness.key.name.text }

    private func refusal(of size: UInt64) -> Freeze {
        Freeze(.witnessRefuses, "\(name) says that the tree of \(head.size) leaves does not begin with the \(size) that it cosigned")
    }

    private func outcome(of body: [UInt8]) -> WitnessOutcome {
        guard let signatures = try? NoteSignature.lines(body) else { return .failed(.malformed) }
        for signature in signatures {
            guard let verified = signature.verified(by: connection.witness.key, over: note.text), let seconds = verified.seconds else {
                continue
            }
            guard abs(Double(seconds) - now().timeIntervalSince1970) <= Self.tolerance else { return .failed(.time) }
            return .cosigned(KeptCosignature(signature: signature, seconds: seconds))
        }
        return .failed(.signature)
    }
}
