import Attestation
public import CaptureProtocol

/// A hard binding of a video (`c2pa.hash.bmff.v3`, C2PA 2.4 §18.7): the SHA-256 of the boxes of a file, each behind its place, without
/// those that have nothing to play.
public struct BoxBinding: Sendable, Equatable {
    public let sha256: ContentDigest

    /// `nil` unless it excludes exactly what the library excludes, and has no Merkle tree.
    init?(_ cbor: ArraySlice<UInt8>) {
        guard case .map(let fields) = try? CBOR.decode(cbor), Set(fields.keys).isSubset(of: Self.keys),
            fields[.text("exclusions")] == Self.exclusions, fields[.text("alg")]?.textString == "sha256",
            let hash = fields[.text("hash")]?.byteString, let sha256 = ContentDigest(bytes: hash)
        else { return nil }
        self.sha256 = sha256
    }

    /// Whether the binding covers a box beside that of the manifest store.
    public func covers(_ box: EmbeddedVideoStore.Box) -> Bool { !Self.uncovered.contains { box.type.elementsEqual($0.utf8) } }

    private static let keys: Set<CBOR> = [.text("exclusions"), .text("alg"), .text("hash"), .text("name")]
    private static let uncovered = ["ftyp", "mfra", "free", "skip"]

    private static let exclusions: CBOR = {
        let identifier = CBOR.map([.text("offset"): .unsigned(8), .text("value"): .bytes(EmbeddedVideoStore.boxIdentifier[...])])
        let store = CBOR.map([.text("xpath"): .text("/uuid"), .text("data"): .array([identifier])])
        return .array([store] + uncovered.map { .map([.text("xpath"): .text("/" + $0)]) })
    }()
}
