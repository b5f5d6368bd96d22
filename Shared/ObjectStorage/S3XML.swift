import Foundation
import FoundationXML

/// Parses the S3 XML responses that the client needs. External entities are not resolved.
enum S3XML {
    static func objectPage(_ data: Data) throws -> ObjectPage {
        let document = try Document(data, collecting: ["Key", "Size", "ETag", "LastModified", "IsTruncated", "NextContinuationToken"])
        let objects = document.groups(of: "Contents").compactMap { fields -> StoredObject? in
            guard let key = fields["Key"] else { return nil }
            return StoredObject(
                key: key, sizeBytes: fields["Size"].flatMap { Int64($0) } ?? 0, etag: fields["ETag"] ?? "", contentType: nil,
                lastModified: fields["LastModified"].flatMap(time))
        }
        let isTruncated = document.root["IsTruncated"] == "true"
        return ObjectPage(objects: objects, continuation: isTruncated ? document.root["NextContinuationToken"] : nil)
    }

    static func uploads(_ data: Data) throws -> [UnfinishedUpload] {
        try Document(data, collecting: ["Key", "UploadId"]).groups(of: "Upload").compactMap { fields in
            guard let key = fields["Key"], let id = fields["UploadId"], !id.isEmpty else { return nil }
            return UnfinishedUpload(key: key, id: id)
        }
    }

    static func uploadID(_ data: Data) throws -> String {
        guard let id = try Document(data, collecting: ["UploadId"]).root["UploadId"], !id.isEmpty else {
            throw ObjectStorageError(.invalidResponse, "no upload id")
        }
        return id
    }

    static func errorCode(_ data: Data) -> String? {
        data.isEmpty ? nil : (try? Document(data, collecting: ["Code"]))?.root["Code"]
    }

    private static func time(_ text: String) -> Date? {
        (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
            ?? (try? Date(text, strategy: .iso8601))
    }

    /// Collects the text of wanted elements: the root's children by name, those inside a repeated child by group.
    private final class Document: NSObject, XMLParserDelegate {
        private let wanted: Set<String>
        private var path: [String] = []
        private var text = ""
        private var group: [String: String] = [:]
        private var groupsByName: [String: [[String: String]]] = [:]
        private(set) var root: [String: String] = [:]

        init(_ data: Data, collecting wanted: Set<String>) throws {
            self.wanted = wanted
            super.init()
            let parser = XMLParser(data: data)
            parser.shouldResolveExternalEntities = false
            parser.delegate = self
            guard parser.parse() else { throw ObjectStorageError(.invalidResponse, "not XML") }
        }

        func groups(of name: String) -> [[String: String]] { groupsByName[name] ?? [] }

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String]
        ) {
            path.append(name)
            text = ""
            if path.count == 2 { group = [:] }
            if path.count > 16 { parser.abortParsing() }
        }

        func parser(_ parser: XMLParser, foundCharacters characters: String) { text += characters }

        func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
            if path.count == 2, !group.isEmpty { groupsByName[name, default: []].append(group) }
            if wanted.contains(name) {
                if path.count == 2 { root[name] = text }
                if path.count == 3 { group[name] = text }
            }
            path.removeLast()
            text = ""
        }
    }
}
