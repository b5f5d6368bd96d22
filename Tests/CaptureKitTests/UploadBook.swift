import CaptureProtocol
import Foundation
import Synchronization

@testable import CaptureKit

/// The server's side of uploads that resume, as far as tests need it (SPEC §2).
final class UploadBook: Sendable {
    struct Upload: Sendable {
        let target: String
        let digest: ContentDigest
        let length: Int
        var body: [UInt8] = []
        var answer: HTTPResponse?
    }

    static let path = "/api/v1/uploads/"
    private let uploads = Mutex<[Upload]>([])
    private let accept: @Sendable (ContentDigest) -> HTTPResponse

    /// - Parameter accept: the answer to a complete body.
    init(accept: @escaping @Sendable (ContentDigest) -> HTTPResponse) { self.accept = accept }

    /// The latest upload's address.
    var target: String? { uploads.withLock { $0.last?.target } }

    /// Forgets all uploads, as after they expired.
    func forget() { uploads.withLock { $0 = [] } }

    /// Changes a byte of what the latest upload has.
    func damage() { uploads.withLock { uploads in uploads[uploads.count - 1].body[0] ^= 1 } }

    /// The answer to a request; `nil` to what is neither an upload nor its creation.
    func answer(to request: ScriptedServer.Request) -> HTTPResponse? {
        if request.method == "POST", request.headers["upload-complete"] == "?0" { return creation(request) }
        guard request.target.hasPrefix(Self.path) else { return nil }
        return uploads.withLock { uploads in
            guard let index = uploads.firstIndex(where: { $0.target == request.target }) else { return Self.refusal(404, "NOT_FOUND") }
            switch request.method {
            case "HEAD": return Self.state(204, uploads[index])
            case "GET": return uploads[index].answer ?? Self.refusal(409, "UPLOAD_INCOMPLETE")
            case "PATCH":
                if let answer = append(request, to: &uploads[index]) { return answer }
                uploads.remove(at: index)
                return Self.refusal(400, "DIGEST_MISMATCH")
            case "DELETE":
                guard uploads[index].answer == nil else { return Self.refusal(400, "UPLOAD_COMPLETED") }
                uploads.remove(at: index)
                return Self.refusal(204, "")
            default: return Self.refusal(405, "METHOD_NOT_ALLOWED")
            }
        }
    }

    private func creation(_ request: ScriptedServer.Request) -> HTTPResponse {
        guard request.body.isEmpty, let length = request.headers["upload-length"].flatMap({ Int($0) }),
            let digest = Self.digest(request.headers["repr-digest"]), request.headers["upload-draft-interop-version"] == "8",
            request.headers["x-digest"] == digest.hex
        else { return Self.refusal(400, "VALIDATION_ERROR") }
        return uploads.withLock { uploads in
            let found = uploads.first { $0.digest == digest }
            if let answer = found?.answer { return answer }
            let upload = found ?? Upload(target: Self.path + UUID().uuidString, digest: digest, length: length)
            if found == nil { uploads.append(upload) }
            return Self.state(201, upload, location: "https://rial.example" + upload.target)
        }
    }

    /// - Returns: `nil` if the whole body is another one.
    private func append(_ request: ScriptedServer.Request, to upload: inout Upload) -> HTTPResponse? {
        guard upload.answer == nil else { return Self.refusal(400, "UPLOAD_COMPLETED") }
        guard request.headers["content-type"] == "application/partial-upload", request.headers["upload-complete"] == "?1",
            request.headers["x-device-id"] == nil
        else { return Self.refusal(400, "VALIDATION_ERROR") }
        guard request.headers["upload-offset"] == String(upload.body.count) else {
            return Self.refusal(409, "UPLOAD_OFFSET_MISMATCH", ["upload-offset": String(upload.body.count)])
        }
        upload.body += request.body
        guard upload.body.count >= upload.length else { return Self.state(204, upload) }
        guard ContentDigest(of: upload.body) == upload.digest else { return nil }
        let answer = accept(upload.digest)
        upload.answer = answer
        return answer
    }

    static func refusal(_ status: Int, _ code: String, _ headers: [String: String] = [:]) -> HTTPResponse {
        .error(status, code, headers: headers.merging(["upload-draft-interop-version": "8"]) { own, _ in own })
    }

    private static func state(_ status: Int, _ upload: Upload, location: String? = nil) -> HTTPResponse {
        var headers = [
            "upload-draft-interop-version": "8", "upload-complete": upload.answer == nil ? "?0" : "?1",
            "upload-offset": String(upload.body.count), "upload-length": String(upload.length), "upload-limit": "max-size=20971520",
        ]
        headers["location"] = location
        return HTTPResponse(status: status, headers: headers, body: [])
    }

    private static func digest(_ field: String?) -> ContentDigest? {
        guard let match = field?.wholeMatch(of: /sha-256=:([A-Za-z0-9+\/=]+):/) else { return nil }
        return ContentDigest(text: String(match.1))
    }
}
