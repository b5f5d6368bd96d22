public import CaptureProtocol

/// What is logged about a capture: JSON in the form of RFC 8785, made once and kept as bytes (SPEC §14 "Statement and leaf").
public struct Statement: Sendable, Equatable {
    /// What the statement does.
    public enum Kind: String, Sendable, CaseIterable { case assessment, credentials, reassessment, revocation }

    /// What the statement says, by its kind.
    public enum Content: Sendable, Equatable {
        /// The first verdict; sequence 0, and only that.
        case assessment(Verdict)
        /// The verdict with Content Credentials that were made later.
        case credentials(Verdict)
        /// The verdict by other algorithms, or again after the device was restored.
        case reassessment(Verdict)
        /// The verdict is taken back.
        /// - Parameter reason: `[a-z_]{1,64}`.
        case revocation(reason: String)
    }

    /// The type's name in `type`.
    public static let type = "rial.statement/1"
    public static let maximumBytes = 16 << 10

    public let content: Content
    public let capture: CaptureID
    public let subject: LogSubject
    /// 0, 1, … within the capture.
    public let sequence: Int
    /// When it was made, in POSIX seconds.
    public let time: Int
    /// The commitment of the statement before it; `nil` for sequence 0 alone.
    public let previous: ContentDigest?
    /// The JSON text that the commitment is over.
    public let bytes: [UInt8]

    /// Makes a statement.
    /// - Throws: ``BundleError`` if these values make none: sequence, `previous` and kind that do not fit, a name or word that is not
    /// allowed, more than 16 KiB.
    public init(
        _ content: Content, capture: CaptureID, subject: LogSubject, sequence: Int, time: Int, previous: ContentDigest?
    ) throws(BundleError) {
        var members: [String: CanonicalJSON] = [
            "type": .string(Self.type), "kind": .string(content.kind.rawValue), "capture": .string(capture.description),
            "subject": .string(subject.hex), "sequence": .integer(sequence), "time": .integer(time),
        ]
        members["previous"] = previous.map { .string($0.hex) }
        switch content {
        case .assessment(let verdict), .credentials(let verdict), .reassessment(let verdict): verdict.write(to: &members)
        case .revocation(let reason): members["reason"] = .string(reason)
        }
        // Read as others will read it, so that nothing is logged that they refuse.
        try self.init(bytes: CanonicalJSON.object(members).encoded)
    }

    /// Reads a statement.
    /// - Throws: ``BundleError`` for anything that ``init(_:capture:subject:sequence:time:previous:)`` would not have made.
    public init(bytes: [UInt8]) throws(BundleError) {
        guard bytes.count <= Self.maximumBytes else { throw BundleError(.tooLarge, "a statement has at most 16 KiB") }
        var members = StatementMembers(try CanonicalJSON(bytes))
        guard try members.string("type") == Self.type else { throw members.wrong("type") }
        let kind = try members.value("kind", Kind.init(rawValue:))
        let captureText = try members.string("capture")
        guard let capture = CaptureID(captureText), capture.description.utf8.elementsEqual(captureText.utf8) else {
            throw members.wrong("capture")
        }
        self.capture = capture
        subject = try members.hex("subject", LogSubject.init(bytes:))
        sequence = try members.integer("sequence")
        time = try members.integer("time")
        guard (sequence == 0) == (kind == .assessment) else { throw members.wrong("sequence") }
        previous = sequence == 0 ? nil : try members.hex("previous", ContentDigest.init(bytes:))
        switch kind {
        case .assessment: content = .assessment(try Verdict(&members))
        case .credentials: content = .credentials(try Verdict(&members))
        case .reassessment: content = .reassessment(try Verdict(&members))
        case .revocation: content = .revocation(reason: try members.value("reason", Self.reason))
        }
        try members.end()
        self.bytes = bytes
    }

    public var kind: Kind { content.kind }
    /// `nil` for a revocation.
    public var verdict: Verdict? { content.verdict }

    /// SHA-256("rial.statement/1\n" ‖ salt ‖ statement).
    public func commitment(salt: Salt) -> ContentDigest {
        ContentDigest(of: Array((Self.type + "\n").utf8) + salt.bytes + bytes)
    }

    /// What becomes public of it.
    public func leaf(salt: Salt) -> LogLeaf {
        .entry(kind: LogLeaf.Kind(kind), time: time, subject: subject, commitment: commitment(salt: salt))
    }

    private static func reason(_ text: String) -> String? {
        let isAllowed = text.utf8.allSatisfy { (0x61...0x7a).contains($0) || $0 == UInt8(ascii: "_") }
        return (1...64).contains(text.utf8.count) && isAllowed ? text : nil
    }
}

extension Statement.Content {
    public var kind: Statement.Kind {
        switch self {
        case .assessment: .assessment
        case .credentials: .credentials
        case .reassessment: .reassessment
        case .revocation: .revocation
        }
    }

    /// `nil` for a revocation.
    public var verdict: Verdict? {
        switch self {
        case .assessment(let verdict), .credentials(let verdict), .reassessment(let verdict): verdict
        case .revocation: nil
        }
    }
}
