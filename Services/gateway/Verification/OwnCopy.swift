import CaptureProtocol
import Crypto
import Foundation
import ManifestStore

/// A JPEG with an embedded manifest store, read as far as needed to recognise copies that we signed (SPEC §7).
///
/// Compares the SHA-256 of the store and of its signing certificate with those recorded at signing. A store that is byte for byte one of
/// ours needs no other proof and can be trusted: its hard binding says which bytes of the file are excluded and what the others hash to. So
/// recognising our own files depends neither on the inspector process, which an untrusted file may have compromised, nor on a list of trust
/// anchors. It is also faster: no process is started.
///
/// Only JPEGs are supported: we sign nothing else.
struct OwnCopy: Sendable {
    let store: StoreIdentity
    private let embedded: EmbeddedStore
    private let binding: DataBinding
    private let file: ScratchFile

    /// Reads the file's head. Blocks.
    /// - Returns: `nil` for files that cannot be ours: without a store, or with a binding that does not exclude exactly the segments of the
    ///   store. Our copies exclude nothing else, so no byte is left unsigned.
    init?(_ file: ScratchFile) {
        guard let head = file.bytes(0..<min(file.sizeBytes, Int64(EmbeddedStore.maximumHeadBytes))),
            let embedded = EmbeddedStore(jpegHead: head), let store = StoreIdentity(embedded.bytes), let binding = store.binding,
            binding.excluded == embedded.range
        else { return nil }
        self.store = store
        self.embedded = embedded
        self.binding = binding
        self.file = file
    }

    /// Hashes the file without the store and compares the hash with the binding. Blocks while reading the file.
    func isIntact() -> Bool {
        var hasher = SHA256()
        let start = Int64(embedded.range.lowerBound)
        let end = Int64(embedded.range.upperBound)
        for part in [0..<start, end..<max(end, file.sizeBytes)] {
            var position = part.lowerBound
            while position < part.upperBound {
                guard let bytes = file.bytes(position..<min(position + 1 << 20, part.upperBound)), !bytes.isEmpty else { return false }
                hasher.update(data: bytes)
                position += Int64(bytes.count)
            }
        }
        return hasher.finalize() == binding.sha256.bytes
    }
}
