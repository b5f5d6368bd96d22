/// What a witness answers to `add-checkpoint` (c2sp.org/tlog-witness).
public enum WitnessAnswer: Sendable, Equatable {
    /// The checkpoint was cosigned. `note` has the log's and the witness's signatures; its size and root must be stored before the answer.
    case cosigned(NoteSignature, note: SignedNote, head: TreeHead)
    /// Not a request, or the old size is above the checkpoint's.
    case malformed
    /// No signature by a key that is known for the origin, or a false one.
    case forbidden
    /// The origin is not known.
    case unknownLog
    /// The last cosigned checkpoint has another size than the old one: this.
    case conflict(size: UInt64)
    /// The proof does not verify, or the same size has another root.
    case inconsistent

    /// The answer to a body that ``CheckpointSubmission/init(_:)`` refuses. A line that is not a signature counts as a false signature.
    public static func refusal(of error: TransparencyLogError) -> WitnessAnswer {
        error.code == .malformedSignature ? .forbidden : .malformed
    }

    /// The HTTP status.
    public var status: Int {
        switch self {
        case .cosigned: 200
        case .malformed: 400
        case .forbidden: 403
        case .unknownLog: 404
        case .conflict: 409
        case .inconsistent: 422
        }
    }

    public var contentType: String {
        if case .conflict = self { Self.sizeType } else { "text/plain; charset=utf-8" }
    }

    /// Signature lines, or the size in decimal; else empty.
    public var body: [UInt8] {
        switch self {
        case .cosigned(let signature, _, _): signature.line
        case .conflict(let size): Array("\(size)\n".utf8)
        case .malformed, .forbidden, .unknownLog, .inconsistent: []
        }
    }

    /// The content type of a conflict.
    public static let sizeType = "text/x.tlog.size"

    /// Reads the body of a conflict, decimal and LF.
    /// - Throws: ``TransparencyLogError/Code/malformedRequest``.
    public static func size(_ body: [UInt8]) throws(TransparencyLogError) -> UInt64 {
        var reader = LineReader(body.prefix(32))
        guard let size = reader.next().flatMap({ UInt64(decimal: $0) }), reader.rest.isEmpty, body.count <= 32 else {
            throw TransparencyLogError(.malformedRequest, "is not a size")
        }
        return size
    }
}
