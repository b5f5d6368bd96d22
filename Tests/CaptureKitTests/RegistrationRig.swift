import CaptureKit
import CaptureProtocol
import Foundation
import SimulatedDevice
import Synchronization

/// A device, its server, and what of the device outlives a process. ``registration(reached:)`` starts a new process.
final class RegistrationRig: Sendable {
    private static let authority = Result { try DevelopmentAttestationAuthority() }

    let secrets = MemorySecureStore()
    let clock = SettableClock()
    let gateway: RegistrationServer
    let server: ScriptedServer
    let requestKeys = SoftwareRequestKeyService(.p256)
    private let simulated: SimulatedAttestationService
    let attestation: FailingAttestation
    private let folder: URL

    /// - Parameter serverAhead: how far the server's clock is ahead of the device's.
    init(isSupported: Bool = true, serverAhead: TimeInterval = 0) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("rial-registration-\(UUID().uuidString)")
        let gateway = RegistrationServer { [clock] in clock.now.addingTimeInterval(serverAhead) }
        self.gateway = gateway
        server = ScriptedServer { gateway.answer($0) }
        simulated = SimulatedAttestationService(folder: folder, authority: try Self.authority.get(), isSupported: isSupported)
        attestation = FailingAttestation(simulated)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    var identities: IdentityStore { IdentityStore(secrets) }

    func registration(reached: @escaping @Sendable (String) throws -> Void = { _ in }) -> Registration {
        Registration(
            identities: identities, attestation: attestation, requestKeys: requestKeys, device: PhoneInfo(), transport: server,
            clock: clock, reached: reached)
    }

    /// The registration bodies that the server received.
    var sentBodies: [[UInt8]] {
        get async { await server.requests(of: RegistrationServer.registerTarget).map(\.body) }
    }

    /// How often each key was to be attested.
    var attestations: [String: Int] {
        get throws { try simulated.attestations }
    }

    var challengeRequests: Int {
        get async { await server.requests(of: RegistrationServer.challengeTarget).count }
    }

    /// The failure of a call; `nil` if it succeeds.
    func failure(_ registration: Registration? = nil) async throws -> RegistrationFailure? {
        do {
            _ = try await (registration ?? self.registration()).register()
            return nil
        } catch let failure as RegistrationFailure {
            return failure
        }
    }
}

struct PhoneInfo: DeviceInfo {
    let hardwareIdentifier = "iPhone16,1"
    let hasLiDAR = true
    let systemVersion = "18.1"
}

/// A clock that stands still until it is set.
final class SettableClock: WallClock {
    private let time = Mutex(Date(timeIntervalSince1970: 1_795_000_000))
    var now: Date { time.withLock { $0 } }
    func advance(by seconds: TimeInterval) { time.withLock { $0 += seconds } }
    func sleep(for duration: Duration) async throws { try Task.checkCancellation() }
}

/// Ends a registration at a point, as the end of the process would.
struct Killed: Error {}

/// An attestation service that fails when told to, and records what it attests.
final class FailingAttestation: AttestationService {
    private struct State {
        var attestFailures: [AttestationServiceFailure] = []
        var assertionFailures: [AttestationServiceFailure] = []
        var attestedHashes: [String: [UInt8]] = [:]
        var attestationObjects: [String: [UInt8]] = [:]
    }
    private let state = Mutex(State())
    private let service: SimulatedAttestationService

    init(_ service: SimulatedAttestationService) { self.service = service }

    func failAttestations(_ failures: AttestationServiceFailure...) { state.withLock { $0.attestFailures += failures } }
    func failAssertions(_ failures: AttestationServiceFailure...) { state.withLock { $0.assertionFailures += failures } }

    /// The client data hash that was attested with the key.
    func attestedHash(_ key: String) -> [UInt8]? { state.withLock { $0.attestedHashes[key] } }

    /// The attested key, X9.63: the COSE key (RFC 9053 §7.1) is at the end of the authenticator data, which is the object's last field.
    func publicKey(_ key: String) -> [UInt8]? {
        state.withLock { $0.attestationObjects[key] }.map { [4] + $0.suffix(67).prefix(32) + $0.suffix(32) }
    }

    var isSupported: Bool { service.isSupported }
    func generateKey() throws(AttestationServiceFailure) -> String { try service.generateKey() }

    func attestKey(_ key: String, clientDataHash: [UInt8]) throws(AttestationServiceFailure) -> [UInt8] {
        if let failure = state.withLock({ $0.attestFailures.isEmpty ? nil : $0.attestFailures.removeFirst() }) { throw failure }
        let object = try service.attestKey(key, clientDataHash: clientDataHash)
        state.withLock {
            $0.attestedHashes[key] = clientDataHash
            $0.attestationObjects[key] = object
        }
        return object
    }

    func generateAssertion(_ key: String, clientDataHash: [UInt8]) throws(AttestationServiceFailure) -> [UInt8] {
        if let failure = state.withLock({ $0.assertionFailures.isEmpty ? nil : $0.assertionFailures.removeFirst() }) { throw failure }
        return try service.generateAssertion(key, clientDataHash: clientDataHash)
    }
}
