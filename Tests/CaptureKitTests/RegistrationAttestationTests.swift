import CaptureKit
import Testing

@Suite("App Attest in a registration")
struct RegistrationAttestationTests {
    @Test("whose server cannot be reached keeps the key and the challenge for later")
    func serverUnavailable() async throws {
        let rig = try RegistrationRig()
        rig.attestation.failAttestations(.serverUnavailable)
        #expect(try await rig.failure() == .attestationUnavailable)
        let key = try await rig.identities.current?.attestationKeyID
        #expect(try await rig.registration().register().attestationKeyID == key)
        #expect(await rig.challengeRequests == 1)
        #expect(try Array(rig.attestations.values) == [1])
    }

    @Test("whose server cannot be reached until the challenge expires asks for another")
    func expired() async throws {
        let rig = try RegistrationRig()
        rig.attestation.failAttestations(.serverUnavailable)
        #expect(try await rig.failure() == .attestationUnavailable)
        rig.clock.advance(by: 299)
        #expect(try await rig.failure() == nil)
        #expect(await rig.challengeRequests == 2)
        #expect(try Array(rig.attestations.values) == [1])
    }

    @Test("that does not know the key makes a new one")
    func invalidKey() async throws {
        let rig = try RegistrationRig()
        rig.attestation.failAttestations(.invalidKey)
        let identity = try await rig.registration().register()
        #expect(try rig.attestations[identity.attestationKeyID ?? ""] == 1)
        #expect(try rig.attestations.values.sorted() == [0, 1])
        #expect(rig.gateway.devices.count == 1)
    }

    @Test("that knows no key is given up after three")
    func bounded() async throws {
        let rig = try RegistrationRig()
        rig.attestation.failAttestations(.invalidKey, .invalidKey, .invalidKey)
        #expect(try await rig.failure() == .tooManyKeys)
        #expect(try rig.attestations.count == 3)
    }

    @Test("that fails otherwise is reported, and the next call uses a new key")
    func failed() async throws {
        let rig = try RegistrationRig()
        rig.attestation.failAttestations(.failed("unknown system failure"))
        #expect(try await rig.failure() == .attestationFailed("unknown system failure"))
        let key = try await rig.identities.current?.attestationKeyID
        #expect(try await rig.registration().register().attestationKeyID != key)
        #expect(try rig.attestations.values.sorted() == [0, 1])
    }

    @Test("is not repeated for a body that the server has forgotten: after a day there is a new key")
    func oldBody() async throws {
        let rig = try RegistrationRig()
        await rig.server.script(RegistrationServer.registerTarget, .fail(.unreachable("")))
        #expect(try await rig.failure() == .transport(.unreachable("")))
        rig.clock.advance(by: 24 * 3600)
        #expect(try await rig.failure() == nil)
        let bodies = await rig.sentBodies
        #expect(bodies.count == 2 && bodies[0] != bodies[1])
        #expect(try Array(rig.attestations.values) == [1, 1])
    }
}
