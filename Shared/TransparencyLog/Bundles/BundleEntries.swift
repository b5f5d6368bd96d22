import CaptureProtocol

/// The names of a bundle's entries, and the most bytes that each may have.
enum BundleEntry {
    static let type = (name: "mimetype", content: Array("application/vnd.rial.bundle.v1+zip".utf8))
    static let readme = BundleEntry.Place("readme.txt", atMost: 64 << 10)
    static let policy = BundleEntry.Place("policy", atMost: 64 << 10)
    static let manifest = BundleEntry.Place("manifest.c2pa", atMost: 16 << 20)
    static let mediaFolder = "media/"
    static let raw = BundleEntry.Place("owner/raw.json", atMost: 4 << 10)
    static let assertion = BundleEntry.Place("owner/assertion.cbor", atMost: SizeLimits.metadata)
    static let attestation = BundleEntry.Place("owner/attestation.cbor", atMost: SizeLimits.registration)
    static let clientDataHash = BundleEntry.Place("owner/client-data-hash", atMost: 32)
    static let metadata = BundleEntry.Place("owner/metadata.json", atMost: SizeLimits.metadata)
    static let payload = BundleEntry.Place("owner/payload.json", atMost: SizeLimits.hashOnlyPayload)
    static let photo = BundleEntry.Place("owner/photo.jpg", atMost: SizeLimits.capture)
    static let depth = BundleEntry.Place("owner/depth", atMost: SizeLimits.depthData)

    static func statement(_ index: Int) -> Place { Place("\(index)/statement.json", atMost: Statement.maximumBytes) }
    static func evidence(_ index: Int) -> Place { Place("\(index)/evidence.json", atMost: 256 << 10) }
    static func proof(_ index: Int) -> Place { Place("\(index)/proof.tlog-proof", atMost: 64 << 10) }
    static func timestamp(_ index: Int) -> Place { Place("\(index)/checkpoint.tsr", atMost: TimestampAnswer.maximumBytes) }
    static func media(_ name: String) -> Place { Place(mediaFolder + name, atMost: SizeLimits.video) }

    struct Place {
        let name: String
        let limit: Int

        init(_ name: String, atMost limit: Int) {
            self.name = name
            self.limit = limit
        }
    }
}

/// Takes entries in the one order in which they may stand.
struct EntryReader {
    private var entries: ArraySlice<StoredArchive.Entry>

    init(_ archive: StoredArchive) { entries = archive.entries[...] }

    /// The entry of this name if it comes next.
    mutating func next(_ place: BundleEntry.Place) throws(BundleError) -> [UInt8]? {
        guard let entry = entries.first, entry.name.elementsEqual(place.name.utf8) else { return nil }
        guard entry.content.count <= place.limit else { throw BundleError(.tooLarge, "\(place.name) is larger than it can be") }
        entries = entries.dropFirst()
        return Array(entry.content)
    }

    mutating func required(_ place: BundleEntry.Place) throws(BundleError) -> [UInt8] {
        guard let content = try next(place) else { throw BundleError(.names, "\(place.name) is not where it belongs") }
        return content
    }

    /// The next file of `media/`, with its name.
    mutating func nextMedia() throws(BundleError) -> (name: String, content: [UInt8])? {
        guard let entry = entries.first, entry.name.starts(with: BundleEntry.mediaFolder.utf8) else { return nil }
        let name = String(decoding: entry.name.dropFirst(BundleEntry.mediaFolder.utf8.count), as: UTF8.self)
        guard Verdict.isFileName(name) else {
            throw BundleError(.names, "a file in \(BundleEntry.mediaFolder) does not have the name of a published file")
        }
        return (name, try required(BundleEntry.media(name)))
    }

    /// - Throws: if entries are left over.
    func end() throws(BundleError) {
        guard entries.isEmpty else { throw BundleError(.names, "has entries that do not belong there, or not in this order") }
    }
}

/// Puts entries one after the other.
struct EntryWriter {
    private(set) var entries: [StoredArchive.Entry] = []

    /// - Parameter content: `nil` for an entry that there is not.
    mutating func add(_ place: BundleEntry.Place, _ content: [UInt8]?) throws(BundleError) {
        guard let content else { return }
        guard content.count <= place.limit else { throw BundleError(.tooLarge, "\(place.name) is larger than it can be") }
        entries.append(.init(name: Array(place.name.utf8), content: content[...]))
    }

    /// Puts one whose content is written elsewhere.
    mutating func add(_ place: BundleEntry.Place, outside file: BundledFile) throws(BundleError) {
        guard file.sizeBytes <= place.limit else { throw BundleError(.tooLarge, "\(place.name) is larger than it can be") }
        entries.append(.init(name: Array(place.name.utf8), content: [], outside: file))
    }
}
