import CExpat
import Foundation

/// Parses the S3 XML responses that the client needs. A document type, which could define entities, is refused.
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
    private final class Document {
        private static let deepest = 16

        private let wanted: Set<String>
        /// Only while it parses.
        private var parser: OpaquePointer?
        private var path: [String] = []
        private var text = ""
        private var group: [String: String] = [:]
        private var groupsByName: [String: [[String: String]]] = [:]
        private(set) var root: [String: String] = [:]

        init(_ data: Data, collecting wanted: Set<String>) throws {
            self.wanted = wanted
            guard let size = Int32(exactly: data.count), let parser = XML_ParserCreate(nil) else {
                throw ObjectStorageError(.invalidResponse, "not XML")
            }
            defer {
                XML_ParserFree(parser)
                self.parser = nil
            }
            self.parser = parser
            // Expat calls back only within XML_Parse, during which `self` lives.
            XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
            XML_SetElementHandler(
                parser, { document, name, _ in Document.of(document)?.start(name) }, { document, _ in Document.of(document)?.end() })
            XML_SetCharacterDataHandler(parser) { Document.of($0)?.add($1, $2) }
            XML_SetStartDoctypeDeclHandler(parser) { document, _, _, _, _ in Document.of(document)?.stop() }
            let status = data.withUnsafeBytes { XML_Parse(parser, $0.bindMemory(to: CChar.self).baseAddress, size, 1) }
            guard status == XML_STATUS_OK else { throw ObjectStorageError(.invalidResponse, "not XML") }
        }

        func groups(of name: String) -> [[String: String]] { groupsByName[name] ?? [] }

        private static func of(_ document: UnsafeMutableRawPointer?) -> Document? {
            document.map { Unmanaged<Document>.fromOpaque($0).takeUnretainedValue() }
        }

        private func stop() { _ = XML_StopParser(parser, XML_Bool(0)) }

        private func start(_ name: UnsafePointer<CChar>?) {
            path.append(name.map { String(cString: $0) } ?? "")
            text = ""
            if path.count == 2 { group = [:] }
            if path.count > Self.deepest { stop() }
        }

        private func add(_ characters: UnsafePointer<CChar>?, _ length: Int32) {
            guard let characters, length > 0 else { return }
            let bytes = UnsafeRawBufferPointer(start: characters, count: Int(length))
            text += String(decoding: bytes, as: UTF8.self)
        }

        private func end() {
            guard let name = path.popLast() else { return }
            if path.count == 1, !group.isEmpty { groupsByName[name, default: []].append(group) }
            if wanted.contains(name) {
                if path.count == 1 { root[name] = text }
                if path.count == 2 { group[name] = text }
            }
            text = ""
        }
    }
}
