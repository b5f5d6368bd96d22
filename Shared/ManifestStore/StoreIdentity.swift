import Attestation
public import CaptureProtocol
import Crypto
import Foundation

/// What identifies one of our manifest stores: its digest, the active manifest's label, the signer's certificate, and what its hard
/// binding covers.
///
/// The signature is not checked. A store whose digest we recorded when we signed it is, byte for byte, what we signed; for any other store
/// these values prove nothing.
public struct StoreIdentity: Sendable, Equatable {
    /// SHA-256 of the whole store.
    public let digest: ContentDigest
    /// The label of the active manifest, which is the last in the store (C2PA 2.4 §11.1.4.2).
    public let label: String
    /// The signer's certificate (DER), the first of the chain in the signature's header.
    public let leaf: [UInt8]
    /// SHA-256 of ``leaf``.
    public let leafDigest: ContentDigest
    /// `nil` unless it is the kind that we write into photos: one `c2pa.hash.data` with SHA-256 that excludes one range.
    public let binding: DataBinding?
    /// `nil` unless it is the kind that we write into videos.
    public let boxBinding: BoxBinding?

    /// - Parameter bytes: the superbox `c2pa`, from inside a photo or from a `.c2pa` file.
    /// - Returns: `nil` if it is not a store with a signed manifest.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count <= EmbeddedStore.maximumBytes, let boxes = JUMBFBox.all(in: bytes[...]), boxes.count == 1,
            let store = boxes.first.flatMap({ JUMBFSuperbox($0) }), store.label == "c2pa", let manifest = store.superboxes.last,
            let signature = manifest["c2pa.signature"]?.content("cbor"),
            let leaf = Self.leaf(signature)
        else { return nil }
        digest = ContentDigest(of: bytes)
        self.leaf = Array(leaf)
        leafDigest = ContentDigest(of: Array(leaf))
        label = manifest.label
        boxBinding = manifest["c2pa.assertions"]?["c2pa.hash.bmff.v3"]?.content("cbor").flatMap { BoxBinding($0) }
        binding = manifest["c2pa.assertions"]?["c2pa.hash.data"]?.content("cbor").flatMap { DataBinding($0) }
    }

    /// From a tagged COSE_Sign1 (RFC 9052 §4.2), whose protected header has the chain as `x5chain`: label 33, or the name in older stores.
    private static func leaf(_ signature: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard signature.first == 0xd2, case .array(let parts) = try? CBOR.decode(signature.dropFirst()), parts.count == 4,
            let header = parts[0].byteString, case .map(let fields) = try? CBOR.decode(header)
        else { return nil }
        guard let chain = fields[.unsigned(33)] ?? fields[.text("x5chain")] else { return nil }
        // A single certificate is a byte string, several are an array (RFC 9360 §2).
        if case .array(let certificates) = chain { return certificates.first?.byteString }
        return chain.byteString
    }
}

/// A hard binding (`c2pa.hash.data`, C2PA 2.4 §18.5): the SHA-256 of the file without one range.
public struct DataBinding: Sendable, Equatable {
    /// Where the signer put the manifest store.
    public let excluded: Range<Int>
    public let sha256: ContentDigest

    init?(_ cbor: ArraySlice<UInt8>) {
        guard let fields = try? CBOR.decode(cbor), case .array(let exclusions)? = fields["exclusions"], exclusions.count == 1,
            case .unsigned(let start)? = exclusions[0]["start"], case .unsigned(let length)? = exclusions[0]["length"],
            fields["alg"]?.textString == "sha256", let hash = fields["hash"]?.byteString, let sha256 = ContentDigest(bytes: hash),
            // No file that we sign is nearly as large.
            start <= 1 << 32, length <= 1 << 32
        else { return nil }
        excluded = Int(start)..<Int(start + length)
        self.sha256 = sha256
    }
}
