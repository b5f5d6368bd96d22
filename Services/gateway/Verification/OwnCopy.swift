import CaptureProtocol
import Crypto
import Foundation
import ManifestStore
import Models

/// A JPEG or MP4 with an embedded manifest store, read as far as needed to recognise copies that we signed (SPEC §7, §10.6).
///
/// Compares the SHA-256 of the store and of its signing certificate with those recorded at signing. A store that is byte for byte one of
/// ours needs no other proof and can be trusted: its hard binding says which bytes of the file are excluded and what the others hash to. So
/// recognising our own files depends neither on the inspector process, which an untrusted file may have compromised, nor on a list of trust
/// anchors. It is also faster: no process is started.
struct OwnCopy: Sendable {
    let store: StoreIdentity
    private let sha256: ContentDigest
    private let signed: [SignedRange]
    private let file: ScratchFile

    /// A part of the file that the hard binding covers.
    private struct SignedRange: Sendable {
        /// The bytes that are hashed before those of the file: the position of a video's box; none for a photo.
        var label: [UInt8] = []
        let range: Range<Int64>
    }

    /// Reads the file's head. Blocks.
    /// - Returns: `nil` for files that cannot be ours.
    init?(_ file: ScratchFile, _ format: MediaFormat) {
        switch format {
        case .jpeg: self.init(jpeg: file)
        case .mp4, .mov: self.init(movie: file)
        case .png, .heic, .heif, .webp, .avif, .tiff, .manifest: return nil
        }
    }

    /// A JPEG is ours only if it has a store, and a binding that excludes exactly the segments of the store. Our copies exclude nothing
    /// else, so no byte is left unsigned.
    private init?(jpeg file: ScratchFile) {
        guard let head = file.bytes(0..<min(file.sizeBytes, Int64(EmbeddedStore.maximumHeadBytes))),
            let embedded = EmbeddedStore(jpegHead: head), let store = StoreIdentity(embedded.bytes), let binding = store.binding,
            binding.excluded == embedded.range
        else { return nil }
        let (start, end) = (Int64(embedded.range.lowerBound), Int64(embedded.range.upperBound))
        (self.store, sha256, self.file) = (store, binding.sha256, file)
        signed = [SignedRange(range: 0..<start), SignedRange(range: end..<max(end, file.sizeBytes))]
    }

    /// The binding of a video covers every box, with its position in the file, except the store's, `ftyp`, and those with nothing to play.
    private init?(movie file: ScratchFile) {
        guard let embedded = EmbeddedVideoStore(fileLength: file.sizeBytes, read: { file.bytes($0) }),
            let store = StoreIdentity(embedded.bytes), let binding = store.boxBinding
        else { return nil }
        (self.store, sha256, self.file) = (store, binding.sha256, file)
        signed = embedded.others.filter(binding.covers).map { box in
            SignedRange(label: withUnsafeBytes(of: box.range.lowerBound.bigEndian, Array.init), range: box.range)
        }
    }

    /// Hashes what the binding covers and compares the hash with it. Blocks while reading the file.
    func isIntact() -> Bool {
        var hasher = SHA256()
        for part in signed {
            hasher.update(data: part.label)
            var position = part.range.lowerBound
            while position < part.range.upperBound {
                guard let bytes = file.bytes(position..<min(position + 1 << 20, part.range.upperBound)), !bytes.isEmpty else {
                    return false
                }
                hasher.update(data: bytes)
                position += Int64(bytes.count)
            }
        }
        return hasher.finalize() == sha256.bytes
    }
}
