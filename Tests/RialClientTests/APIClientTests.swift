import ArgumentParser
import CaptureKit
import CaptureProtocol
import Foundation
import HTTPTypes
import Models
import SimulatedDevice
import Synchronization
import Testing

@testable import RialCLI
@testable import RialClient

@Suite("API client")
struct APIClientTests {
    static let id = CaptureID()
    static let busy = TestServer.Answer(
        status: .serviceUnavailable, headers: ["Retry-After": "0"],
        body: "{\"error\": {\"code\": \"SERVICE_UNAVAILABLE\", \"message\": \"busy\"}, \"meta\": {\"request_id\": \"r\"}}")

    static let accepted = TestServer.Answer(
        status: .created,
        body: "{\"data\": {\"capture_id\": \"\(id)\", \"status\": \"processing\", \"verification_url\": \"u\"}, \"meta\": {}}")

    static func capture(_ status: String) -> TestServer.Answer {
        .init(body: "{\"data\": {\"id\": \"\(id)\", \"status\": \"\(status)\"}, \"meta\": {}}")
    }

    static func stream(_ events: String) -> TestServer.Answer {
        .init(headers: ["Content-Type": "text/event-stream"], body: events)
    }

    private func session() throws -> (DeviceSession, DeviceID) {
        var device = SimulatedDevice(requestKey: .ed25519)
        let id = DeviceID()
        device.deviceID = id.description
        let state = DeviceState(
            deviceID: id, attestationLevel: .secureEnclave, attestationFailure: nil, hasLiDAR: true, device: device)
        return (DeviceSession(state), id)
    }

    @Test("sends the same body again, signed anew, while the server is busy")
    func sendsAgain() async throws {
        let server = TestServer(["POST /api/v1/captures": [Self.busy, Self.busy, Self.accepted]])
        let (session, device) = try session()
        try await withTemporaryFile(Array(repeating: 9, count: 700_000)) { url in
            let photo = try PartContent.file(at: url)
            try await server.run { client in
                let draft = CaptureDraft(
                    photo: photo, depthMap: .bytes([1, 2, 3]), depthWidth: 4, depthHeight: 3, capturedAt: Date(), location: nil)
                let upload = try await draft.upload(model: "iPhone 15 Pro", binding: .v2, session: session)
                let answer = try await client.send(upload, signer: session)
                #expect(answer.captureID == Self.id)
            }
        }
        let requests = server.requests
        #expect(requests.count == 3)
        #expect(Set(requests.map(\.body)).count == 1)
        for request in requests {
            #expect(request.headers["x-device-id"] == device.description)
            #expect(request.headers["x-device-signature-version"] == "2")
            #expect(request.headers["content-length"] == String(request.body.count))
            #expect(request.headers["content-type"]?.hasPrefix("multipart/form-data; boundary=") == true)
        }
    }

    @Test("says which capture the server has accepted, though it does not tell its state")
    func acceptedWithoutState() async throws {
        let failed = TestServer.Answer(status: .internalServerError, body: "{}")
        let server = TestServer(["POST /api/v1/captures": [Self.accepted], "GET /api/v1/captures/\(Self.id)": [failed]])
        let (session, _) = try session()
        try await server.run { client in
            let send = QueuedSend(client: client, server: try #require(URL(string: client.base)), session: session)
            let content = FileCapture(
                photo: [1, 2, 3], depth: [1, 2, 3], depthWidth: 2, depthHeight: 2, capturedAt: Date(), model: "iPhone 15 Pro",
                location: nil)
            let answer = try await send.send(content)
            #expect(answer == AcceptedCapture(captureID: Self.id, type: nil, status: .processing, verificationURL: "u"))
        }
        #expect(server.requests.contains { $0.method == "GET" && $0.path == "/api/v1/captures/\(Self.id)" })
    }

    @Test("waits for a server that reads slowly, and sends once")
    func slowServer() async throws {
        let answer = TestServer.Answer(body: "{\"data\": {\"status\": \"no_record\"}, \"meta\": {}}")
        let server = TestServer(["POST /api/v1/verify-file": [answer]], bytesPerSecond: 300_000)
        try await server.run(requestTimeout: .seconds(1)) { client in
            let found = try await client.verify(.bytes(Array(repeating: 9, count: 700_000)))
            #expect(found["status"]?.string == "no_record")
        }
        #expect(server.requests.count == 1)
    }

    @Test("is patient with a capture as long as more of it is sent")
    func timeout() {
        let start = ContinuousClock.now
        var timeout = SendingTimeout(.seconds(60), at: start)
        for (second, bytes, isOver) in [(50, 1, false), (100, 2, false), (159, 2, false), (159, 0, false), (160, 0, true)] {
            #expect(timeout.isOver(sentBytes: Int64(bytes), at: start + .seconds(second)) == isOver, "\(second)")
        }
    }

    @Test("throws a refusal with the envelope's code, without a retry")
    func refusal() async throws {
        let body = "{\"error\": {\"code\": \"CHALLENGE_INVALID\", \"message\": \"It was used.\"}, \"meta\": {\"request_id\": \"r1\"}}"
        let server = TestServer(["GET /api/v1/devices/challenge": [.init(status: .badRequest, body: body)]])
        try await server.run { client in
            let failure = await #expect(throws: APIFailure.self) { try await client.challenge() }
            #expect(failure?.serverCode == "CHALLENGE_INVALID")
            #expect(failure?.description == "It was used. (CHALLENGE_INVALID, HTTP 400, request r1)")
        }
        #expect(server.requests.count == 1)
    }

    @Test("reports when the address is not a gateway's", arguments: ["<html>", "{}", "{\"data\": {}}", "[1]"])
    func foreignAnswer(body: String) async throws {
        let server = TestServer(["GET /api/v1/devices/challenge": [.init(body: body)]])
        try await server.run { client in
            let failure = await #expect(throws: APIFailure.self) { try await client.challenge() }
            #expect(failure?.code == .invalidResponse)
        }
    }

    @Test("says of a file that is unknown by its hash what the server says of one that it was sent")
    func unknownFile() async throws {
        let hash = ContentDigest(of: [1, 2, 3] as [UInt8]).hex
        let body = "{\"error\": {\"code\": \"HASH_NOT_FOUND\", \"message\": \"no record\"}, \"meta\": {}}"
        let server = TestServer(["GET /api/v1/verify-hash/\(hash)": [.init(status: .notFound, body: body)]])
        try await server.run { client in
            let command = try VerifyCommand.parse(["photo.jpg", "--hash-only", "--json"])
            let text = try await command.answer(on: .bytes([1, 2, 3]), from: client)
            let said = try JSONValue(parsing: Array(text.utf8))
            #expect(said == .object(["status": .string("no_record"), "file_hash": .string(hash)]))
        }
    }

    @Test("resumes a broken event stream until the capture is final")
    func watches() async throws {
        let path = "/api/v1/captures/\(Self.id)"
        let server = TestServer([
            "GET \(path)/events": [
                Self.busy, Self.stream("id: 1\nevent: status\ndata: {\"status\":\"processing\"}\n\nid: 2\nevent: check\ndata: {}\n\n"),
                Self.stream("id: 3\nevent: status\ndata: {\"status\":\"complete\"}\n\n"),
            ],
            "GET \(path)": [Self.capture("processing"), Self.capture("processing"), Self.capture("complete")],
        ])
        let names = Mutex<[String]>([])
        try await server.run { client in
            let capture = try await client.watch(Self.id, timeout: .seconds(20)) { event in names.withLock { $0.append(event.name) } }
            #expect(capture.status == .complete)
        }
        #expect(names.withLock { $0 } == ["status", "check", "status"])
        let streams = server.requests.filter { $0.path.hasSuffix("/events") }
        #expect(streams.first?.headers["last-event-id"] == nil)
        #expect(streams.last?.headers["last-event-id"] == "2")
    }

    @Test("throws when a capture is not final in time")
    func watchEnds() async throws {
        let path = "/api/v1/captures/\(Self.id)"
        let server = TestServer(["GET \(path)/events": [Self.stream("")], "GET \(path)": [Self.capture("processing")]])
        try await server.run { client in
            let failure = await #expect(throws: APIFailure.self) { try await client.watch(Self.id, timeout: .milliseconds(400)) }
            #expect(failure?.code == .timeout)
        }
    }

    @Test("signs the owner's reads")
    func ownerRead() async throws {
        let server = TestServer(["GET /api/v1/captures/\(Self.id)": [Self.capture("complete")]])
        let (session, device) = try session()
        try await server.run { client in _ = try await client.capture(Self.id, signer: session) }
        #expect(server.requests.first?.headers["x-device-id"] == device.description)
    }

    @Test("reports which address could not be reached")
    func unreachable() async throws {
        let url = try #require(URL(string: "http://127.0.0.1:1"))
        let failure = await #expect(throws: APIFailure.self) {
            try await APIClient(baseURL: url, retries: .none).challenge()
        }
        #expect(failure?.code == .unreachable)
    }
}
