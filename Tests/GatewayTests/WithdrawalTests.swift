import CaptureProtocol
import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import Models
import Persistence
import ServiceRuntime
import TestSupport
import Testing

@testable import Gateway

@Suite("Withdrawals, in memory and in PostgreSQL")
struct WithdrawalRepositoryTests {
    @Test("the owner withdraws a capture, once; nothing is told of it any more but that, and it is announced", arguments: Backend.available)
    func owner(backend: Backend) async throws {
        try await backend.with { rig in
            let (id, device) = (CaptureID(), try await rig.insertDevice())
            _ = try await rig.record(id, by: device)
            try await rig.answer(.media, of: id, isGivenUp: false)
            let shortID = try #require(try await rig.captures.find(id)).shortID
            for _ in 0..<2 { #expect(try await rig.withdrawals.withdraw(id, by: device) == .withdrawn) }
            await #expect(throws: WithdrawnCapture.self) { _ = try await rig.captures.find(id) }
            await #expect(throws: WithdrawnCapture.self) { _ = try await rig.captures.find(shortID: shortID) }
            #expect(try await rig.captures.parts(of: id).isEmpty)
            #expect(try await rig.announced() == [id.description], "what was not announced before is not any more")
        }
    }

    @Test("nobody else withdraws it", arguments: Backend.available)
    func foreign(backend: Backend) async throws {
        try await backend.with { rig in
            let id = CaptureID()
            _ = try await rig.record(id, by: try await rig.insertDevice())
            let other = try await rig.insertDevice()
            #expect(try await rig.withdrawals.withdraw(id, by: other) == .foreign)
            #expect(try await rig.withdrawals.withdraw(CaptureID(), by: other) == .unknown)
            #expect(try await rig.captures.find(id)?.status == .processing)
        }
    }

    @Test("what was withdrawn and is sent again is a new capture", arguments: Backend.available)
    func again(backend: Backend) async throws {
        try await backend.with { rig in
            let (first, second, device) = (CaptureID(), CaptureID(), try await rig.insertDevice())
            _ = try await rig.record(first, by: device)
            #expect(try await rig.withdrawals.withdraw(first, by: device) == .withdrawn)
            let later = ContinuousClock.now + .seconds(60)
            guard case .new = try await rig.record(second, by: device, begun: later) else {
                Issue.record("not a new capture")
                return
            }
            #expect(try await rig.captures.find(second)?.status == .processing)
        }
    }

    @Test("nothing is recorded that its device had begun to send before it withdrew a capture; others' is", arguments: Backend.available)
    func begunBefore(backend: Backend) async throws {
        try await backend.with { rig in
            let (id, stranger) = (CaptureID(), CaptureID())
            let (device, other) = (try await rig.insertDevice(), try await rig.insertDevice())
            let begun = ContinuousClock.now
            _ = try await rig.record(id, by: device)
            #expect(try await rig.withdrawals.withdraw(id, by: device) == .withdrawn)
            await #expect(throws: CaptureError.withdrawnMeanwhile) { _ = try await rig.record(CaptureID(), by: device, begun: begun) }
            _ = try await rig.record(stranger, by: other, begun: begun)
            #expect(try await rig.captureIDs() == [id, stranger])
            #expect(try await rig.announced() == [id, stranger].map(\.description))
        }
    }

    @Test(
        "a photo that is sent again and withdrawn while a gateway still has it in hand is not recorded, and nothing of it is left",
        arguments: Backend.available)
    func inHand(backend: Backend) async throws {
        try await backend.with { rig in
            let (device, store, bytes) = (try await rig.insertDevice(), MemoryObjectStore(), try PhotoBody().bytes())
            let upload = CaptureUpload(captures: rig.captures, intakes: rig.intakes, storage: store)
            func send(meanwhile happens: () async throws -> Void = {}) async throws -> CaptureID {
                let body = IncomingBody(type: .photo, boundary: try PhotoBody.boundary(), begun: .now, logger: .quiet)
                return try await upload.take(bodyStream(bytes), body, from: device, authenticate: { _ in }, admit: happens).id
            }
            await #expect(throws: CaptureError.withdrawnMeanwhile) {
                _ = try await send {
                    let again = try await send()
                    #expect(try await rig.withdrawals.withdraw(again, by: device) == .withdrawn)
                }
            }
            let (recorded, intakes) = (try await rig.captureIDs(), try await rig.intakeIDs())
            let id = try #require(recorded.first)
            await #expect(throws: WithdrawnCapture.self) { _ = try await rig.captures.find(id) }
            #expect(recorded.count == 1 && intakes.isEmpty)
            // Those of the withdrawn one are deleted by upload-sync.
            #expect(!store.keys.isEmpty && store.keys.allSatisfy { $0.hasPrefix("captures/\(id)/") })
        }
    }

    @Test(
        "a hash-only capture that is sent again and withdrawn while a gateway has it in hand is not recorded",
        arguments: Backend.available)
    func hashOnlyInHand(backend: Backend) async throws {
        try await backend.with { rig in
            let device = try SigningDevice()
            try await rig.insert(device.known)
            var simulated = device.simulated
            let body = try HashOnlySubmissionTests.body(HashOnlySamples.payload().bytes(), &simulated)
            let upload = HashOnlyUpload(captures: rig.captures)
            func send(meanwhile happens: () async throws -> Void = {}) async throws -> CaptureID {
                try await upload.take(bodyStream(body), from: device.known, begun: .now, authenticate: { _ in }, admit: happens).id
            }
            await #expect(throws: CaptureError.withdrawnMeanwhile) {
                _ = try await send {
                    let again = try await send()
                    #expect(try await rig.withdrawals.withdraw(again, by: device.known.id) == .withdrawn)
                }
            }
            let recorded = try await rig.captureIDs()
            let id = try #require(recorded.first)
            await #expect(throws: WithdrawnCapture.self) { _ = try await rig.captures.find(id) }
            #expect(recorded.count == 1)
        }
    }
}

extension WithdrawalRepositoryTests {
    @Test(
        "the same upload waits for a withdrawal that is not committed yet, and is not recorded then", .timeLimit(.minutes(1)),
        .enabled(if: GatewayDatabase.isConfigured, GatewayDatabase.hint))
    func uncommitted() async throws {
        try await GatewayDatabase.with(pools: 2) { pools in
            let rig = PostgresRig(pools: pools)
            let (id, device) = (CaptureID(), try await rig.insertDevice())
            _ = try await rig.record(id, by: device)
            let recording = try await rig.other.withTransaction { connection in
                try await connection.query("SELECT rial_withdraw(\(id.uuid))")
                let recording = Task { try await rig.record(CaptureID(), by: device) }
                try await waitForWaiter(behind: connection, within: .seconds(30))
                return recording
            }
            await #expect(throws: CaptureError.withdrawnMeanwhile) { _ = try await recording.value }
            #expect(try await rig.captureIDs() == [id])
        }
    }

    @Test(
        "of two that are withdrawn in one microsecond neither stays",
        .enabled(if: GatewayDatabase.isConfigured, GatewayDatabase.hint))
    func sameMoment() async throws {
        try await GatewayDatabase.with { database in
            let (id, device) = (CaptureID(), try await CaptureRepositoryTests.insertDevice(database))
            let rig = PostgresRig(pools: [database, database])
            _ = try await rig.record(id, by: device)
            // The first time, as if the other one had just got the same time. What a sequence counts is not rolled back.
            try await database.withConnection { connection in
                try await connection.execute(
                    script: """
                        CREATE SEQUENCE attempts;
                        CREATE FUNCTION collide() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                            IF nextval('attempts') = 1 THEN RAISE unique_violation; END IF;
                            RETURN NEW;
                        END $$;
                        CREATE TRIGGER collide BEFORE UPDATE ON captures FOR EACH ROW EXECUTE FUNCTION collide();
                        """)
            }
            #expect(try await rig.withdrawals.withdraw(id, by: device) == .withdrawn)
            await #expect(throws: WithdrawnCapture.self) { _ = try await rig.captures.find(id) }
        }
    }
}

@Suite("Requests to withdraw a capture")
struct WithdrawalTests {
    private let captures = MemoryCaptures()
    private let devices = MemoryDevices()
    private let buckets = MemoryTokenBuckets()
    private let responder: any HTTPResponder<GatewayContext>

    init() throws {
        let limits = try RateLimits(ServiceEnvironment([:]))
        let controller = WithdrawalController(
            authenticator: DeviceAuthenticator(devices: devices, buckets: buckets, limits: limits), withdrawals: captures,
            waiters: Waiters(), trustedProxies: [])
        var routes = Routes()
        controller.addRoutes(to: &routes)
        responder = routes.router(behind: ResponseMiddleware(routes: routes)).buildResponder()
    }

    /// A registered device, and its key.
    private struct Owner {
        let id = DeviceID()
        let key = Curve25519.Signing.PrivateKey()

        func known(isRevoked: Bool = false) -> KnownDevice {
            KnownDevice(
                id: id, requestKey: (algorithm: .ed25519, key: Array(key.publicKey.rawRepresentation)), attestedKey: nil, appID: nil,
                isRevoked: isRevoked)
        }
    }

    private func register(isRevoked: Bool = false) -> Owner {
        let owner = Owner()
        devices.add(owner.known(isRevoked: isRevoked))
        return owner
    }

    private func capture(of device: DeviceID) async throws -> CaptureID {
        let id = CaptureID()
        try await captures.open(id, device: device)
        _ = try await captures.record(id, CaptureRepositoryTests.submission(), device: device, begun: .now, receivedAt: now)
        return id
    }

    /// - Parameters:
    ///   - target: what is asked for.
    ///   - signed: what the signature is of, if it is another target.
    private func delete(_ target: String, by owner: Owner, signed: String? = nil, at time: Date = Date()) async throws -> Response {
        let timestamp = String(Int64(time.timeIntervalSince1970 * 1000))
        let message = RequestMessage.text(
            version: 2, method: "DELETE", target: signed ?? target, timestamp: timestamp, deviceID: owner.id.description,
            bodyDigest: ContentDigest(of: [UInt8]()))
        let signature = try owner.key.signature(for: Data(message.utf8))
        return try await respond(
            target,
            [
                .deviceID: owner.id.description, .deviceTimestamp: timestamp, .deviceSignatureVersion: "2",
                .deviceSignature: Base64.encode(Array(signature)),
            ])
    }

    private func respond(_ target: String, _ fields: HTTPFields) async throws -> Response {
        try await responder.respond(to: makeRequest(.delete, target, fields), context: makeContext())
    }

    /// The code of an error.
    private func code(of response: Response) async throws -> String? {
        try await (response.json()["error"] as? [String: Any])?["code"] as? String
    }

    private func path(_ id: CaptureID) -> String { "/api/v1/captures/\(id)" }
    private func status(of id: CaptureID) -> CaptureStatus? { captures.now.captures[id]?.status }

    @Test("the owner's is carried out, and answered the same if it is sent again")
    func owner() async throws {
        let owner = register()
        let id = try await capture(of: owner.id)
        for _ in 0..<2 {
            let response = try await delete(path(id), by: owner)
            #expect(response.status == .noContent && response.headers[.cacheControl] == "no-store")
        }
        #expect(status(of: id) == .withdrawn && captures.now.announced == [id.description])
    }

    @Test("another device's is refused")
    func foreign() async throws {
        let id = try await capture(of: register().id)
        let response = try await delete(path(id), by: register())
        let code = try await self.code(of: response)
        #expect(code == ErrorCode.forbidden.rawValue && status(of: id) == .processing)
    }

    @Test("one for no capture finds none", arguments: [CaptureID().description, "x"])
    func unknown(id: String) async throws {
        let response = try await delete("/api/v1/captures/\(id)", by: register())
        let code = try await self.code(of: response)
        #expect(code == ErrorCode.captureNotFound.rawValue)
    }

    @Test("one that nobody has signed is refused, whether the capture is there or not")
    func unsigned() async throws {
        let id = try await capture(of: register().id)
        for target in [path(id), path(CaptureID())] {
            let response = try await respond(target, [:])
            let code = try await self.code(of: response)
            #expect(code == ErrorCode.deviceAuthRequired.rawValue)
        }
        #expect(status(of: id) == .processing)
    }

    @Test("one with the signature of another request is refused, and counts against the address")
    func otherRequest() async throws {
        let owner = register()
        let (id, other) = (try await capture(of: owner.id), CaptureID())
        let response = try await delete(path(id), by: owner, signed: path(other))
        let code = try await self.code(of: response)
        #expect(code == ErrorCode.signatureInvalid.rawValue && status(of: id) == .processing)
        #expect(buckets.names == ["auth-failure:unknown"])
    }

    @Test("one that was signed too long ago is refused")
    func old() async throws {
        let owner = register()
        let id = try await capture(of: owner.id)
        let response = try await delete(path(id), by: owner, at: Date(timeIntervalSinceNow: -301))
        let code = try await self.code(of: response)
        #expect(code == ErrorCode.timestampExpired.rawValue && status(of: id) == .processing)
    }

    @Test("a device that is not registered, or is revoked, withdraws nothing")
    func refusedDevices() async throws {
        let (stranger, revoked) = (Owner(), register(isRevoked: true))
        for (device, code) in [(stranger, ErrorCode.deviceNotRegistered), (revoked, .deviceRevoked)] {
            let id = try await capture(of: device.id)
            let response = try await delete(path(id), by: device)
            let answered = try await self.code(of: response)
            #expect(answered == code.rawValue && status(of: id) == .processing)
        }
    }
}
