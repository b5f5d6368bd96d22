import CaptureKit
import CaptureProtocol
import Synchronization
import Testing

@Suite("Registration whose process is killed")
struct RegistrationKillTests {
    static let points = ["key", "challenge", "attesting", "attested", "body", "answered", "saved"].map { "registration.\($0)" }
    /// Without ``attestation``.
    static let unattestedPoints = ["key", "challenge", "body", "answered", "saved"].map { "registration.\($0)" }

    @Test("registers one device and attests no key twice", arguments: points)
    func killed(at point: String) async throws {
        let rig = try RegistrationRig()
        await killed(rig, at: point)
        let identity = try await rig.registration().register()

        #expect(rig.gateway.devices.keys.map { $0 } == [identity.deviceID])
        #expect(try rig.attestations.values.allSatisfy { $0 <= 1 })
        #expect(await Set(rig.sentBodies).count == 1)
        #expect(try await rig.identities.all == [identity])
    }

    @Test("of a device without App Attest registers one device", arguments: unattestedPoints)
    func killedUnsupported(at point: String) async throws {
        let rig = try RegistrationRig(isSupported: false)
        await killed(rig, at: point)
        let identity = try await rig.registration().register()
        #expect(rig.gateway.devices.keys.map { $0 } == [identity.deviceID])
        #expect(await Set(rig.sentBodies).count == 1)
    }

    @Test("at every point, one after the other, still registers one device")
    func killedEverywhere() async throws {
        let rig = try RegistrationRig()
        let left = Mutex(Set(Self.points))
        var identity: DeviceIdentity?
        for _ in 0...Self.points.count where identity == nil {
            identity = try? await rig.registration { point in
                if left.withLock({ $0.remove(point) }) != nil { throw Killed() }
            }.register()
        }
        #expect(rig.gateway.devices.keys.map { $0 } == [try #require(identity?.deviceID)])
        #expect(try rig.attestations.values.allSatisfy { $0 <= 1 })
        #expect(left.withLock { $0.isEmpty })
    }

    @Test("before the key was stored as used uses the same key", arguments: ["registration.key", "registration.challenge"])
    func sameKey(at point: String) async throws {
        let rig = try RegistrationRig()
        await killed(rig, at: point)
        let key = try await rig.identities.current?.attestationKeyID
        #expect(try await rig.registration().register().attestationKeyID == key)
        #expect(await rig.challengeRequests == 1)
    }

    @Test("while the key may have been attested uses a new key", arguments: ["registration.attesting", "registration.attested"])
    func newKey(at point: String) async throws {
        let rig = try RegistrationRig()
        await killed(rig, at: point)
        let key = try await rig.identities.current?.attestationKeyID
        #expect(try await rig.registration().register().attestationKeyID != key)
    }

    @Test("after the body was stored sends the same bytes", arguments: ["registration.body", "registration.answered"])
    func sameBody(at point: String) async throws {
        let rig = try RegistrationRig()
        await killed(rig, at: point)
        rig.clock.advance(by: 24 * 3600 - 1)
        guard case .attested(let body, _)? = try await rig.identities.current?.state else {
            Issue.record("no body was stored")
            return
        }
        // Before its answer the server did not have it, and its challenge has expired by now.
        if point == "registration.body" {
            _ = try? await rig.registration { if $0 == "registration.key" { throw Killed() } }.register()
        } else {
            _ = try await rig.registration().register()
        }
        #expect(await rig.sentBodies.allSatisfy { $0 == body.bytes })
        #expect(try rig.attestations.values.reduce(0, +) == 1)
    }

    private func killed(_ rig: RegistrationRig, at point: String) async {
        await #expect(throws: Killed.self) {
            try await rig.registration { if $0 == point { throw Killed() } }.register()
        }
    }
}
