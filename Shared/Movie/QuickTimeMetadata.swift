/// Two of the values of `moov/meta` (QuickTime File Format, "Metadata"). Places and everything else in it are never read.
struct QuickTimeMetadata {
    static let creationDateKey = "com.apple.quicktime.creationdate"
    static let modelKey = "com.apple.quicktime.model"
    private static let mostKeys = 256
    private static let longestValue = 256

    private(set) var creationDate: String?
    private(set) var model: String?

    /// What cannot be read is absent.
    init(_ movie: BoxList) {
        guard let meta = movie.boxes.first(where: { $0.type == "meta" })?.content,
            let boxes = try? BoxList(BoxList.metadataContent(meta), of: "meta"), let keys = try? boxes.only("keys"),
            let items = try? boxes.children(of: "ilst"), let names = try? Self.names(keys)
        else { return }
        for item in items.boxes {
            guard let index = Int(exactly: item.type.value), index >= 1, index <= names.count else { continue }
            switch names[index - 1] {
            case Self.creationDateKey: creationDate = creationDate ?? Self.text(item.content)
            case Self.modelKey: model = model ?? Self.text(item.content)
            default: break
            }
        }
    }

    private static func names(_ keys: FieldReader) throws(MovieError) -> [String] {
        var fields = keys
        _ = try fields.version(newest: 0)
        _ = try fields.u32()
        let boxes = try BoxList(fields.rest, of: "keys").boxes
        return boxes.prefix(mostKeys).map { $0.type == "mdta" ? String(decoding: $0.content.prefix(longestValue), as: UTF8.self) : "" }
    }

    /// The value of the first `data` box, if it is UTF-8 (type 1).
    private static func text(_ item: ArraySlice<UInt8>) -> String? {
        guard let data = try? BoxList(item, of: "ilst").boxes.first(where: { $0.type == "data" })?.content else { return nil }
        var fields = FieldReader(data, of: "data")
        guard let kind = try? fields.u32(), kind == 1, (try? fields.skip(4)) != nil, !fields.rest.isEmpty,
            fields.rest.count <= longestValue
        else { return nil }
        return String(validating: fields.rest, as: UTF8.self)
    }
}
