import CaptureProtocol
import Foundation
import Synchronization

@testable import CaptureKit

/// A clock whose waits are over at once and move its time.
final class JumpingClock: WallClock {
    private let time = Mutex(Date(timeIntervalSince1970: 1_800_000_000))

    var now: Date { time.withLock { $0 } }

    func sleep(for duration: Duration) async throws {
        try Task.checkCancellation()
        time.withLock { $0 += duration / .seconds(1) }
        await Task.yield()
    }
}

/// Identities without keys.
actor ScriptedSigning: CaptureSigning {
    private(set) var devices: [DeviceID] = [DeviceID()]
    private(set) var replaced: [DeviceID] = []
    private(set) var times: [Date] = []
    private(set) var forgotten: [Set<DeviceID>] = []
    /// How often an assertion was asked for.
    private(set) var asked = 0
    /// Of the next attempts to assert; assertions are made afterwards.
    var assertions: [AssertionAttempt] = []
    var unavailable: [DeviceUnavailable] = []
    var lost: Set<DeviceID> = []
    /// Whether the keys of earlier devices cannot be removed.
    private(set) var keepsKeys = false

    func keepKeys() { keepsKeys = true }

    func script(assertions: [AssertionAttempt] = [], unavailable: [DeviceUnavailable] = [], lost: Set<DeviceID> = []) {
        self.assertions = assertions
        self.unavailable = unavailable
        self.lost = lost
    }

    var current: DeviceID { devices[devices.count - 1] }

    func currentDevice(replacing refused: DeviceID?) async throws -> DeviceID {
        if !unavailable.isEmpty { throw unavailable.removeFirst() }
        if let refused, refused == current {
            replaced.append(refused)
            devices.append(DeviceID())
        }
        return current
    }

    func assertion(over clientDataHash: ContentDigest) async -> AssertionAttempt {
        asked += 1
        return assertions.isEmpty ? .made(clientDataHash.bytes + current.description.utf8, by: current) : assertions.removeFirst()
    }

    func signer(for device: DeviceID) async throws -> (any RequestSigner)? {
        lost.contains(device) ? nil : Signer(device: device, signing: self)
    }

    func forgetDevices(except needed: Set<DeviceID>) async throws {
        if keepsKeys { throw SecureStoreError.locked }
        forgotten.append(needed)
    }

    func note(_ time: Date) { times.append(time) }

    private struct Signer: RequestSigner {
        let device: DeviceID
        let signing: ScriptedSigning

        func headers(
            method: String, target: String, bodyDigest: ContentDigest, at time: Date
        ) async throws -> [(name: String, value: String)] {
            await signing.note(time)
            return [("X-Device-Id", device.description), ("X-Digest", bodyDigest.hex)]
        }
    }
}

/// A queue over a scripted server.
struct QueueRig {
    static let uploads = "/api/v1/captures"
    let store: StoreRig
    let signing = ScriptedSigning()
    let clock = JumpingClock()
    let server: ScriptedServer

    init() throws {
        try self.init { request in
            request.method == "GET"
                ? .json(200, #"{"data":{"status":"complete","confidence_level":"high"}}"#)
                : .json(201, #"{"data":{"capture_id":"\#(CaptureID())","status":"processing","verification_url":"https://x.example/v/1"}}"#)
        }
    }

    /// - Parameter answer: the server's usual one.
    init(answer: @escaping @Sendable (ScriptedServer.Request) -> HTTPResponse) throws {
        store = try StoreRig()
        server = ScriptedServer(usualAnswer: answer)
    }

    /// The server takes resumable uploads; a body always gets the same id.
    init(_ book: UploadBook) throws {
        try self.init { request in
            if let answer = book.answer(to: request) { return answer }
            return request.method == "GET"
                ? .json(200, #"{"data":{"status":"complete","confidence_level":"high"}}"#)
                : Self.accepted(ContentDigest(of: request.body))
        }
    }

    /// The id that a server gives to a body: always the same.
    static func captureID(_ digest: ContentDigest) -> CaptureID {
        CaptureID(UUID(uuid: digest.bytes.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) }))
    }

    /// The answer to a body.
    static func accepted(_ digest: ContentDigest) -> HTTPResponse {
        .json(201, #"{"data":{"capture_id":"\#(captureID(digest))","status":"processing","verification_url":"https://x.example/v/1"}}"#)
    }

    /// - Parameter transport: `nil` for the scripted server.
    func queue(_ transport: (any HTTPTransport)? = nil) async throws -> CaptureQueue {
        CaptureQueue(store: try await store.open(), signing: signing, transport: transport ?? server, clock: clock)
    }

    /// The uploads that reached the server.
    var uploads: [ScriptedServer.Request] { get async { await server.requests(of: Self.uploads) } }
}

extension HTTPResponse {
    static func json(_ status: Int, _ text: String, headers: [String: String] = [:]) -> HTTPResponse {
        HTTPResponse(status: status, headers: headers, body: Array(text.utf8))
    }
}
