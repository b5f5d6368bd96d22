import CaptureProtocol
import Foundation
import ObjectStorage
import SimulatedDevice
import TestSupport
import Testing

/// The body of a capture, and what a device sends with it so that its upload may be resumed.
struct ResumableBody: Sendable {
    var device: SimulatedDevice
    let bytes: [UInt8]
    var digest: ContentDigest { ContentDigest(of: bytes) }

    /// - Parameter size: the least number of bytes; the photo is followed by noise.
    init(_ client: TestClient, device given: SimulatedDevice? = nil, size: Int = 0) async throws {
        if let given { device = given } else { device = try await client.device() }
        var parts = try CaptureParts()
        let missing = size - parts.photo.count - parts.depth.count
        if missing > 0 {
            parts.photo += HostileBytes.noise(missing)
            var fields = try #require(try JSONSerialization.jsonObject(with: Data(parts.metadata)) as? [String: Any])
            fields["photo_hash"] = ContentDigest(of: parts.photo).hex
            parts.metadata = Array(try JSONSerialization.data(withJSONObject: fields))
        }
        bytes = TestClient.encode(try client.soundForm(&device, parts))
    }

    /// Another device's body, of the same bytes.
    init(_ client: TestClient, sharing other: ResumableBody) async throws {
        device = try await client.device()
        bytes = other.bytes
    }

    /// A body of any parts.
    init(_ client: TestClient, device given: SimulatedDevice? = nil, form: [FormPart]) async throws {
        if let given { device = given } else { device = try await client.device() }
        bytes = TestClient.encode(form)
    }

    /// The fields of a request that creates the upload, without `Content-Length`.
    mutating func creation(version: Int? = 8, isComplete: Bool, at time: Date = Date()) throws -> [(String, String)] {
        let signed = try device.requestHeaders(method: "POST", path: TestClient.captures, bodyDigest: digest, at: time)
        var fields =
            signed.map { ($0.name, $0.value) } + [
                ("Content-Type", "multipart/form-data; boundary=\(TestClient.boundary)"),
                ("Repr-Digest", "sha-256=:\(Data(digest.bytes).base64EncodedString()):"), ("Upload-Length", "\(bytes.count)"),
                Self.completeness(version, isComplete),
            ]
        if let version { fields.append(("Upload-Draft-Interop-Version", "\(version)")) }
        return fields
    }

    static func completeness(_ version: Int?, _ isComplete: Bool) -> (String, String) {
        version == 3 ? ("Upload-Incomplete", isComplete ? "?0" : "?1") : ("Upload-Complete", isComplete ? "?1" : "?0")
    }

    /// Creates the upload without a byte of the body.
    /// - Returns: the path of its address.
    mutating func created(at client: TestClient, version: Int = 8) async throws -> String {
        let answer = try await client.send(
            "POST", TestClient.captures, headers: creation(version: version, isComplete: false) + [("Content-Length", "0")])
        #expect(answer.status == 201 && answer.body.isEmpty, "\(answer.text)")
        return try path(of: answer.headers)
    }

    /// The path of the address in a response's `Location`.
    func path(of headers: [String: String]) throws -> String {
        let address = try #require(headers["location"])
        let match = try #require(address.firstMatch(of: /\/api\/v1\/uploads\/[A-Za-z0-9_-]{43}$/), "\(address)")
        return String(match.0)
    }

    /// The head of a request on a raw connection.
    static func head(_ method: String, _ path: String, _ fields: [(String, String)]) -> [UInt8] {
        let lines = ["\(method) \(path) HTTP/1.1", "Host: localhost"] + fields.map { "\($0.0): \($0.1)" }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }
}

extension TestClient {
    /// Appends bytes to an upload.
    func append(
        _ bytes: [UInt8], to path: String, at offset: Int, isComplete: Bool, version: Int = 8, more: [(String, String)] = []
    ) async throws -> Answer {
        try await send("PATCH", path, headers: Self.appending(at: offset, isComplete: isComplete, version: version) + more, body: bytes)
    }

    static func appending(at offset: Int, isComplete: Bool, version: Int = 8) -> [(String, String)] {
        [
            ("Upload-Offset", "\(offset)"), ("Upload-Draft-Interop-Version", "\(version)"), ResumableBody.completeness(version, isComplete),
            ("Content-Type", "application/partial-upload"),
        ]
    }

    /// The offset that the server says.
    func offset(of path: String, version: Int = 8) async throws -> Int {
        let answer = try await send("HEAD", path, headers: [("Upload-Draft-Interop-Version", "\(version)")])
        #expect(answer.status == 204)
        return try #require(answer.headers["upload-offset"].flatMap { Int($0) })
    }
}

/// A connection on which requests are written byte by byte, and interim responses are seen.
final class RawExchange {
    struct Response {
        let status: Int
        let headers: [String: String]
        let body: [UInt8]
    }

    let socket: RawSocket

    init(_ client: TestClient) throws { socket = try RawSocket(port: client.port) }

    /// Sends all bytes, as far as the server takes them.
    /// - Returns: how many it took before it ended the connection.
    @discardableResult
    func send(_ bytes: some Collection<UInt8>) async throws -> Int {
        var rest = Array(bytes)[...]
        let deadline = ContinuousClock.now + .seconds(60)
        while !rest.isEmpty, ContinuousClock.now < deadline, let count = socket.send(rest.prefix(1 << 18)) {
            rest = rest.dropFirst(count)
            if count == 0 { try await Task.sleep(for: .milliseconds(1)) }
        }
        return bytes.count - rest.count
    }

    /// All complete responses so far, interim ones too.
    func responses() -> [Response] {
        var rest = Array(socket.text(limit: 1 << 20).utf8)[...]
        var found: [Response] = []
        while let end = rest.firstRange(of: Array("\r\n\r\n".utf8)) {
            let lines = String(decoding: rest[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
            let status = lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
            let pairs = lines.dropFirst().compactMap { line -> (String, String)? in
                guard let colon = line.firstIndex(of: ":") else { return nil }
                return (line[..<colon].lowercased(), line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces))
            }
            let headers = Dictionary(pairs) { first, _ in first }
            let length = status < 200 || status == 204 ? 0 : headers["content-length"].flatMap { Int($0) } ?? 0
            guard rest.endIndex - end.upperBound >= length else { break }
            found.append(Response(status: status, headers: headers, body: Array(rest[end.upperBound..<end.upperBound + length])))
            rest = rest[(end.upperBound + length)...]
        }
        return found
    }

    /// Waits for a response with one of the statuses.
    func response(_ statuses: Int..., within limit: Duration = .seconds(30)) async throws -> Response {
        var found: Response?
        try await eventually(within: limit, "a response \(statuses)") {
            found = responses().first { statuses.contains($0.status) }
            return found != nil || socket.isEnded
        }
        return try #require(found, "\(responses().map(\.status))")
    }
}

extension LocalStack {
    /// The rows of a device's uploads: state, offset, and how many segments.
    func uploads(of device: SimulatedDevice) async throws -> [String] {
        try await sql(
            """
            SELECT state || ' ' || offset_bytes || ' ' || (SELECT count(*) FROM upload_segments WHERE upload_id = uploads.id)
            FROM uploads WHERE device_id = '\(device.deviceID ?? "")' ORDER BY created_at
            """)
    }

    func captures(of device: SimulatedDevice) async throws -> Int {
        try await sql("SELECT count(*) FROM captures WHERE device_id = '\(device.deviceID ?? "")'").first.flatMap { Int($0) } ?? -1
    }

    /// Expects that the store has no segment of the device's uploads.
    func expectNoSegments(of device: SimulatedDevice, _ what: String) async throws {
        let storage = try storage()
        try await eventually("no segment is left after \(what)") {
            for id in try await sql("SELECT id FROM uploads WHERE device_id = '\(device.deviceID ?? "")'") {
                guard try await storage.list(prefix: "incoming/\(id)/").objects.isEmpty else { return false }
            }
            return true
        }
    }
}

extension SystemTests.APIErrors {
    /// Provokes one of the codes of resumable uploads.
    func provokeByUpload(_ code: APIRefusal, _ client: TestClient, _ headers: Headers) async throws -> Answer {
        var body = try await ResumableBody(client)
        let path = try await body.created(at: client)
        let append = { (bytes: [UInt8], offset: Int) in
            try await client.append(bytes, to: path, at: offset, isComplete: true, more: headers)
        }
        switch code {
        case .uploadIncomplete: return try await client.send("GET", path, headers: headers)
        case .uploadOffsetMismatch: return try await append(body.bytes, 1)
        case .uploadLengthInconsistent: return try await append(body.bytes + [0], 0)
        case .uploadCompleted:
            #expect(try await append(body.bytes, 0).status == 201)
            return try await append([], body.bytes.count)
        default:
            var other = body.bytes
            other[other.count / 2] ^= 1
            return try await append(other, 0)
        }
    }
}
