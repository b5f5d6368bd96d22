import CaptureProtocol
import Synchronization

/// The compressed forms of recent pages, by the digests of the plain pages: a page that many readers open is compressed once.
final class CompressedPages: Sendable {
    private struct Kept {
        var forms: [ContentDigest: [UInt8]] = [:]
        /// From the oldest to the newest.
        var order: [ContentDigest] = []
        var byteCount = 0
    }

    /// The limit for all forms together; the oldest ones are dropped beyond it. The page of a record has some 11 kB.
    private let maximumBytes: Int
    private let kept = Mutex(Kept())

    init(maximumBytes: Int = 1_000_000) { self.maximumBytes = maximumBytes }

    /// The size of all forms that are kept.
    var byteCount: Int { kept.withLock { $0.byteCount } }

    /// The page compressed with gzip.
    /// - Parameter digest: that of `page`.
    /// - Returns: `nil` if compression does not save enough.
    func form(of page: [UInt8], digest: ContentDigest) -> [UInt8]? {
        if let known = kept.withLock({ $0.forms[digest] }) { return known }
        guard let form = ContentCoding.gzip(page) else { return nil }
        kept.withLock { kept in
            guard kept.forms.updateValue(form, forKey: digest) == nil else { return }
            kept.order.append(digest)
            kept.byteCount += form.count
            var evicted = 0
            while kept.byteCount > maximumBytes, evicted < kept.order.count {
                kept.byteCount -= kept.forms.removeValue(forKey: kept.order[evicted])?.count ?? 0
                evicted += 1
            }
            kept.order.removeFirst(evicted)
        }
        return form
    }
}
