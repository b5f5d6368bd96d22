import AsyncHTTPClient
import CaptureProtocol
import Crypto
import Foundation
import NIOCore
import NIOHTTP1
import Scene
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

/// A response of the gateway.
struct Answer: Sendable {
    let status: Int
    let headers: [String: String]
    let body: [UInt8]

    var json: [String: Any] { (try? JSONSerialization.jsonObject(with: Data(body))) as? [String: Any] ?? [:] }
    var data: [String: Any] { json["data"] as? [String: Any] ?? [:] }
    var errorCode: String? { (json["error"] as? [String: Any])?["code"] as? String }
}

/// A part of a multipart body, including its header.
struct FormPart: Sendable {
    let disposition: String
    let bytes: [UInt8]

    init(_ name: String, _ bytes: [UInt8], filename: String? = nil) {
        disposition = "form-data; name=\"\(name)\"" + (filename.map { "; filename=\"\($0)\"" } ?? "")
        self.bytes = bytes
    }
}

/// Photo, depth map and metadata of one capture.
struct CaptureParts: Sendable {
    var photo: [UInt8]
    var depth: [UInt8]
    var metadata: [UInt8]

    /// A small room. A comment makes every capture's photo different.
    static var room: RenderedScene? { scene(.room) }
    static var screen: RenderedScene? { scene(.screen) }
    static var screenInRoom: RenderedScene? { scene(.screenInRoom) }

    /// A scene is rendered again after this time: the time in a photo and that of its capture may differ by at most 15 minutes (SPEC §3).
    private static let lifetime: TimeInterval = 300
    private static let rendered = Mutex<[SceneKind: (scene: RenderedScene, at: Date)]>([:])

    private static func scene(_ kind: SceneKind) -> RenderedScene? {
        rendered.withLock { rendered in
            let now = Date()
            if let known = rendered[kind], now.timeIntervalSince(known.at) < lifetime { return known.scene }
            var options = SceneOptions(capturedAt: now)
            options.photoSize = (640, 480)
            options.detail = 256
            let scene = try? SceneRenderer.render(kind, seed: 1, options: options)
            rendered[kind] = scene.map { ($0, now) }
            return scene
        }
    }

    init(_ scene: RenderedScene? = room, model: String = "iPhone 15 Pro", extra: [String: Any] = [:]) throws {
        let scene = try #require(scene)
        let comment = Array("\(UUID())".utf8)
        photo = Array(scene.jpeg.prefix(2)) + [0xff, 0xfe, 0, UInt8(comment.count + 2)] + comment + scene.jpeg.dropFirst(2)
        depth = try scene.depthGzip()
        var fields: [String: Any] = [
            "captured_at": Date().formatted(.iso8601), "device_model": model,
            "photo_hash": Data(SHA256.hash(data: photo)).base64EncodedString(),
            "depth_map_dimensions": ["width": scene.depthWidth, "height": scene.depthHeight],
            "location": ["latitude": 45.764043, "longitude": 4.835659],
        ]
        fields.merge(extra) { _, new in new }
        metadata = Array(try JSONSerialization.data(withJSONObject: fields))
    }

    var digests: (photo: ContentDigest, depth: ContentDigest, metadata: ContentDigest) {
        (ContentDigest(of: photo), ContentDigest(of: depth), ContentDigest(of: metadata))
    }

    func form(assertion: [UInt8]?) -> [FormPart] {
        [FormPart("photo", photo, filename: "photo.jpg"), FormPart("depth_map", depth), FormPart("metadata", metadata)]
            + (assertion.map { [FormPart("assertion", $0)] } ?? [])
    }
}

/// Sends requests to a gateway, valid and invalid ones.
struct TestClient: Sendable {
    /// Allows more connections than the shared client, since tests keep streams open. It lives as long as the tests.
    static let http: HTTPClient = {
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 256
        // Shorter than the idle timeout of all gateways in the tests, so that no request is sent on a connection that is being closed.
        configuration.connectionPool.idleTimeout = .seconds(1)
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    let url: String

    static func current() throws -> TestClient { TestClient(url: try #require(LocalStack.current).url) }

    func send(
        _ method: String, _ path: String, headers: [(String, String)] = [], body: [UInt8]? = nil
    ) async throws -> Answer {
        var request = HTTPClientRequest(url: url + path)
        request.method = .init(rawValue: method)
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        if let body { request.body = .bytes(body) }
        // A large body takes its time.
        let limit = TimeAmount.seconds(60 + Int64(body?.count ?? 0) / 500_000)
        let response = try await Self.http.execute(request, timeout: limit)
        let bytes = try await response.body.collect(upTo: 128 << 20)
        let pairs = response.headers.map { ($0.name.lowercased(), $0.value) }
        return Answer(
            status: Int(response.status.code), headers: Dictionary(pairs) { first, _ in first }, body: Array(bytes.readableBytesView))
    }

    func challenge() async throws -> [UInt8] {
        let answer = try await send("GET", "/api/v1/devices/challenge")
        let text = try #require(answer.data["challenge"] as? String, "\(String(decoding: answer.body, as: UTF8.self))")
        return Array(try #require(Data(base64Encoded: text)))
    }

    static func authority() throws -> DevelopmentAttestationAuthority {
        let folder = try #require(LocalStack.current?.addresses["RIAL_DEVELOPMENT_ROOT_DIR"])
        return try .loadOrCreate(in: URL(fileURLWithPath: folder))
    }

    func registration(_ device: SimulatedDevice, challenge: [UInt8], defect: Defect? = nil, hasLiDAR: Bool = true) throws -> [UInt8] {
        let attested = try device.attestation(challenge: challenge, authority: Self.authority(), defect: defect)
        var body: [String: Any] = [
            "platform": "ios", "model": device.model, "has_lidar": hasLiDAR,
            "attestation": [
                "key_id": Data(attested.keyID).base64EncodedString(),
                "attestation_object": Data(attested.attestationObject).base64EncodedString(),
                "challenge": Data(challenge).base64EncodedString(),
            ],
        ]
        if let key = try device.requestPublicKey {
            body["request_key"] = ["algorithm": device.requestKeyKind.rawValue, "public_key": Data(key).base64EncodedString()]
        }
        return Array(try JSONSerialization.data(withJSONObject: body))
    }

    func register(_ body: [UInt8]) async throws -> Answer {
        try await send("POST", "/api/v1/devices/register", headers: [("Content-Type", "application/json")], body: body)
    }

    /// Registers, repeating the same body while the response is 503: after a verifier or a broker was down, its consumers may take longer
    /// to rejoin than the timeout of one request.
    func registered(_ body: [UInt8]) async throws -> Answer {
        var answer: Answer?
        try await eventually("a registration's response") {
            answer = try await register(body)
            return answer?.status != 503
        }
        return try #require(answer)
    }

    /// A registered device.
    func device(_ kind: RequestKeyKind = .ed25519, defect: Defect? = nil, hasLiDAR: Bool = true) async throws -> SimulatedDevice {
        var device = SimulatedDevice(requestKey: kind)
        let answer = try await registered(registration(device, challenge: challenge(), defect: defect, hasLiDAR: hasLiDAR))
        device.deviceID = try #require(answer.data["device_id"] as? String, "\(String(decoding: answer.body, as: UTF8.self))")
        return device
    }

    static let boundary = "test-boundary-7MA4YWxkTrZu0gW"

    static func encode(_ parts: [FormPart]) -> [UInt8] {
        parts.flatMap { Array("--\(boundary)\r\nContent-Disposition: \($0.disposition)\r\n\r\n".utf8) + $0.bytes + [13, 10] }
            + Array("--\(boundary)--\r\n".utf8)
    }

    /// Signs and sends a form.
    func submit(
        _ device: inout SimulatedDevice, _ parts: [FormPart], to path: String = captures, version: Int = 2, rawP256: Bool = false,
        at time: Date = Date(),
        change: (inout [(String, String)], inout [UInt8]) -> Void = { _, _ in }
    ) async throws -> Answer {
        var body = Self.encode(parts)
        var headers = try device.requestHeaders(
            method: "POST", path: path, bodyDigest: ContentDigest(of: body), at: time, version: version, rawP256: rawP256
        ).map { ($0.name, $0.value) }
        headers.append(("Content-Type", "multipart/form-data; boundary=\(Self.boundary)"))
        change(&headers, &body)
        return try await send("POST", path, headers: headers, body: body)
    }

    /// Sends a valid capture and returns its id.
    func capture(_ device: inout SimulatedDevice, _ parts: CaptureParts, assertion given: [UInt8]? = nil) async throws -> String {
        let digests = parts.digests
        let assertion =
            try given
            ?? device.captureAssertion(
                photoDigest: digests.photo, depthDigest: digests.depth, metadataDigest: digests.metadata)
        let answer = try await submit(&device, parts.form(assertion: assertion))
        #expect(answer.status == 201, "\(String(decoding: answer.body, as: UTF8.self))")
        return try #require(answer.data["capture_id"] as? String)
    }

    func show(_ id: String, headers: [(String, String)] = []) async throws -> Answer {
        try await send("GET", "/api/v1/captures/\(id)", headers: headers)
    }

    /// Waits until the capture has the status.
    func settled(_ id: String, within limit: Duration = .seconds(60), as status: String = "complete") async throws -> Answer {
        var last: Answer?
        try await eventually(within: limit, "capture \(id) is \(status)") {
            last = try await show(id)
            return last?.data["status"] as? String == status
        }
        return try #require(last)
    }
}

extension Answer {
    /// A field of the evidence by its path, such as `hardware_attestation.status`.
    func evidence(_ path: String) -> String? {
        var value: Any? = data["evidence"]
        for key in path.split(separator: ".") { value = (value as? [String: Any])?[String(key)] }
        return value as? String
    }
}
