public import CaptureProtocol

/// What a statement says of a capture: its files, times, checks and confidence (SPEC §14 "Statement and leaf").
public struct Verdict: Sendable, Equatable {
    /// SPEC §3, as words.
    public enum Confidence: String, Sendable, CaseIterable { case high, medium, low, suspicious }

    public var kind: CaptureKind
    /// The digest of the original.
    public var media: ContentDigest
    /// The digests of all files that were published by then, by their names.
    public var files: [String: ContentDigest]
    /// The identifier of our C2PA manifest, if one was made.
    public var manifest: String?
    public var capturedAt: SharedTime
    /// Exact, or the day.
    public var receivedAt: SharedTime
    public var confidence: Confidence
    /// The versions of the rules that were used, by what they judge.
    public var algorithms: [String: String]
    /// The digest of the evidence's bytes, which are kept beside the statement.
    public var evidence: ContentDigest
    /// ``RawParts/digest``.
    public var raw: ContentDigest

    public init(
        kind: CaptureKind, media: ContentDigest, files: [String: ContentDigest], manifest: String?, capturedAt: SharedTime,
        receivedAt: SharedTime, confidence: Confidence, algorithms: [String: String], evidence: ContentDigest, raw: ContentDigest
    ) {
        self.kind = kind
        self.media = media
        self.files = files
        self.manifest = manifest
        self.capturedAt = capturedAt
        self.receivedAt = receivedAt
        self.confidence = confidence
        self.algorithms = algorithms
        self.evidence = evidence
        self.raw = raw
    }
}

extension Verdict {
    /// Whether it may be the name of a published file. It becomes the name of an entry in a bundle, so it must not be a path.
    static func isFileName(_ name: String) -> Bool {
        let isWord: (UInt8) -> Bool = { (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) }
        guard (1...64).contains(name.utf8.count), let first = name.utf8.first, isWord(first) else { return false }
        return name.utf8.allSatisfy { isWord($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".") }
    }

    /// Adds its members to a statement's.
    func write(to members: inout [String: CanonicalJSON]) {
        members["mode"] = .string(kind.mode.rawValue)
        members["media_type"] = .string(kind.type.rawValue)
        members["media"] = .string(media.hex)
        members["files"] = .object(files.mapValues { .string($0.hex) })
        members["manifest"] = manifest.map { .string($0) }
        members["captured_at"] = capturedAt.text.map { .string($0) }
        members["received_at"] = receivedAt.text.map { .string($0) }
        members["confidence"] = .string(confidence.rawValue)
        members["algorithms"] = .object(algorithms.mapValues { .string($0) })
        members["evidence"] = .string(evidence.hex)
        members["raw"] = .string(raw.hex)
    }

    init(_ members: inout StatementMembers) throws(BundleError) {
        let (mode, type) = (try members.string("mode"), try members.string("media_type"))
        guard let kind = CaptureKind(type: type, mode: mode) else { throw members.wrong("mode") }
        self.kind = kind
        media = try members.hex("media", ContentDigest.init(bytes:))
        files = [:]
        for (name, text) in try members.strings("files") {
            guard Self.isFileName(name), let digest = ContentDigest(lowerCaseHex: text) else { throw members.wrong("files") }
            files[name] = digest
        }
        manifest = try members.optionalString("manifest")
        guard manifest.map({ Self.isWord($0, atMost: 256) }) != false else { throw members.wrong("manifest") }
        capturedAt = .notShared
        if let text = try members.optionalString("captured_at") {
            guard let time = Self.time(text) else { throw members.wrong("captured_at") }
            capturedAt = time
        }
        receivedAt = try members.value("received_at", Self.time)
        confidence = try members.value("confidence", Confidence.init(rawValue:))
        algorithms = try members.strings("algorithms")
        guard algorithms.allSatisfy({ Self.isWord($0.key, atMost: 64) && Self.isWord($0.value, atMost: 64) }) else {
            throw members.wrong("algorithms")
        }
        evidence = try members.hex("evidence", ContentDigest.init(bytes:))
        raw = try members.hex("raw", ContentDigest.init(bytes:))
    }

    /// Printable ASCII without spaces.
    private static func isWord(_ text: String, atMost length: Int) -> Bool {
        (1...length).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
    }

    /// RFC 3339 in UTC with milliseconds, or the day alone.
    private static func time(_ text: String) -> SharedTime? {
        let time = Timestamp.parseDay(text).map(SharedTime.day) ?? Timestamp.parse(text).map(SharedTime.exact)
        guard let time, let written = time.text, written.utf8.elementsEqual(text.utf8) else { return nil }
        return time
    }
}
