import Attestation
public import CaptureProtocol
import Crypto
import Foundation

/// What a manifest store of ours says of itself, as far as it takes to know it again: its digest, the active manifest's label, the digest of
/// the certificate that signed it, and what its hard binding covers.
///
/// It says nothing about whether the signature holds. A store whose digest we recorded when we signed is, byte for byte, what we signed;
/// for any other store none of this means anything.
public struct StoreIdentity: Sendable, Equatable {
    /// Of all its bytes.
    public let digest: ContentDigest
    /// The active manifest's label: the last in the store (C2PA 2.4 §11.1.4.2).
    public let label: String
    /// The signer's certificate as DER: the first of the chain in the signature's header.
    public let leaf: [UInt8]
    /// Of ``leaf``.
    public let leafDigest: ContentDigest
    /// `nil` unless it is one `c2pa.hash.data` with SHA-256 that leaves one range out: what we write into photos.
    public let binding: DataBinding?

    /// - Parameter bytes: the superbox `c2pa` as it is inside the file, or in a `.c2pa` file.
    /// - Returns: `nil` if it is no store with a signed manifest.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count <= EmbeddedStore.maximumBytes, let boxes = JUMBFBox.all(in: bytes[...]), boxes.count == 1,
            let store = boxes.first.flatMap({ JUMBFSuperbox($0) }), store.label == "c2pa", let manifest = store.superboxes.last,
            let signature = manifest["c2pa.signature"]?.content("cbor"), let leaf = Self.leaf(signature),
            let leafDigest = Self.sha256(leaf), let digest = Self.sha256(bytes)
        else { return nil }
        self.digest = digest
        self.leaf = Array(leaf)
        self.leafDigest = leafDigest
        label = manifest.label
        binding = manifest["c2pa.assertions"]?["c2pa.hash.data"]?.content("cbor").flatMap { DataBinding($0) }
    }

    /// COSE_Sign1 (RFC 9052 §4.2), tagged: the chain is in the protected header, as `x5chain` (33) or, from older signers, by that name.
    private static func leaf(_ signature: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard signature.first == 0xd2, case .array(let parts) = try? CBOR.decode(signature.dropFirst()), parts.count == 4,
            let header = parts[0].byteString, case .map(let fields) = try? CBOR.decode(header)
        else { return nil }
        guard let chain = fields[.unsigned(33)] ?? fields[.text("x5chain")] else { return nil }
        // One certificate stands alone, several in a list (RFC 9360 §2).
        if case .array(let certificates) = chain { return certificates.first?.byteString }
        return chain.byteString
    }

    private static func sha256(_ bytes: some Collection<UInt8>) -> ContentDigest? {
        ContentDigest(bytes: Array(SHA256.hash(data: Data(bytes))))
    }
}

/// A hard binding: all of the file but one range has this SHA-256 (`c2pa.hash.data`, C2PA 2.4 §18.5).
public struct DataBinding: Sendable, Equatable {
    /// Where the manifest store lies, as the signer knew it.
    public let excluded: Range<Int>
    public let sha256: ContentDigest

    init?(_ cbor: ArraySlice<UInt8>) {
        guard let fields = try? CBOR.decode(cbor), case .array(let exclusions)? = fields["exclusions"], exclusions.count == 1,
            case .unsigned(let start)? = exclusions[0]["start"], case .unsigned(let length)? = exclusions[0]["length"],
            fields["alg"]?.textString == "sha256", let hash = fields["hash"]?.byteString, let sha256 = ContentDigest(bytes: hash),
            // No file that we sign comes near.
            start <= 1 << 32, length <= 1 << 32
        else { return nil }
        excluded = Int(start)..<Int(start + length)
        self.sha256 = sha256
    }
}
