import CaptureProtocol
import Crypto
import Foundation
import ManifestStore

/// A JPEG with a manifest store inside, as far as it takes to tell whether we made it (SPEC §7).
///
/// What is compared is what was recorded when we signed: the store's SHA-256 and that of the certificate inside of it. A store that is, byte
/// for byte, one of ours needs no other proof, and its own words can be taken: its hard binding says which bytes of the file it leaves
/// out and what all the others hash to. So nobody else's word is needed for calling a file ours: not that of the process that reads
/// untrusted files, which a file may have taken over, nor any list of authorities. It is also quicker: no process is started.
///
/// Only photos are read so; they are all that we sign.
struct OwnCopy: Sendable {
    let store: StoreIdentity
    private let embedded: EmbeddedStore
    private let binding: DataBinding
    private let file: ScratchFile

    /// Reads the file's head. Blocks.
    /// - Returns: `nil` for what cannot be ours: no store, or one whose binding does not leave out exactly the segments that hold it. In a
    ///   sound copy of ours no other byte is left out, so that there is no place for anything that we have not signed.
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

    /// Hashes the file but the store. Blocks for as long as that takes.
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
