public import ArgumentParser
public import CaptureKit
import CaptureProtocol
import Foundation
import Observability
import RialClient
import ServiceRuntime
import SimulatedDevice

/// The folder of a simulated phone: its capture store, its keychain, and its hardware keys.
struct QueueOptions: ParsableArguments {
    @Option(help: "Folder of the simulated phone: `store` (the captures), `keychain` and `app-attest` are in it.")
    var store: String
    @Option(help: ArgumentHelp("How many seconds the phone's clock is ahead when it makes requests.", visibility: .hidden))
    var clockOffset = 0

    init() {}

    init(store: String) {
        self.store = store
        clockOffset = 0
    }

    private var folder: URL { URL(fileURLWithPath: store, isDirectory: true) }
    private var secrets: FolderSecureStore { FolderSecureStore(folder: folder.appendingPathComponent("keychain").path) }

    var privacySettings: PrivacySettingsStore { PrivacySettingsStore(secrets) }

    func createFolder() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    /// The queue of a command that does not use the network.
    func offline() async throws -> CaptureQueue { try await queue(transport: Offline(), attestation: try attestation(nil)) }

    /// Runs the body with a queue that has the network.
    /// - Parameter enrolment: has the authority that attests the device's key.
    func withNetwork(
        _ server: ServerOptions, _ trust: TrustOptions, _ enrolment: EnrolmentOptions, _ timeouts: AsyncHTTPTransport.Timeouts = .init(),
        _ body: (CaptureQueue) async throws -> Void
    ) async throws {
        let address = try server.address()
        let settings = try enrolment.enrolment(APIClient(baseURL: address))
        let transport = try trust.transport(to: address, timeouts)
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(try await queue(transport: transport, attestation: try attestation(settings))))
        } catch {
            result = .failure(error)
        }
        try await transport.shutdown()
        try result.get()
    }

    private func attestation(_ enrolment: Enrolment?) throws -> SimulatedAttestationService {
        SimulatedAttestationService(
            folder: folder.appendingPathComponent("app-attest"), authority: try enrolment?.authority ?? DevelopmentAttestationAuthority(),
            appID: enrolment?.appID ?? SimulatedDevice.developmentAppID, environment: enrolment?.environment ?? "development")
    }

    private func queue(transport: any HTTPTransport, attestation: SimulatedAttestationService) async throws -> CaptureQueue {
        try createFolder()
        // A simulated phone is for development, where a test may end the process between two effects.
        if let folder = try ServiceEnvironment().optional("RIAL_FAIL_POINTS") { FailPoint.arm(folder: folder) }
        let failPoints = FailPoints { name in FailPoint.reached(name) }
        let store = try await CaptureStore.open(
            in: folder.appendingPathComponent("store").path, secrets: secrets, failPoints: failPoints)
        let (identities, keys) = (IdentityStore(secrets), SoftwareRequestKeyService())
        let clock = OffsetClock(seconds: clockOffset)
        let registration = Registration(
            identities: identities, attestation: attestation, requestKeys: keys, device: SimulatedPhone(), transport: transport,
            clock: clock, reached: { name in FailPoint.reached(name) })
        return CaptureQueue(
            store: store,
            signing: RegisteringSigner(
                identities: identities, registration: registration, attestation: attestation, requestKeys: keys),
            transport: transport, clock: clock)
    }
}

/// An iPhone 15 Pro.
struct SimulatedPhone: DeviceInfo {
    var hardwareIdentifier: String { "iPhone16,1" }
    var hasLiDAR: Bool { true }
    var systemVersion: String { "18.1" }
    var appVersion: String? { Product.version }
}

/// A clock that is wrong.
private struct OffsetClock: WallClock {
    let seconds: Int

    var now: Date { Date() + TimeInterval(seconds) }

    func sleep(for duration: Duration) async throws { try await Task.sleep(for: duration) }
}

/// No network.
private struct Offline: HTTPTransport {
    func send(_ request: HTTPRequest, progress: @escaping @Sendable (Int64) -> Void) async throws -> HTTPResponse {
        throw TransportFailure.unreachable("this command does not use the network")
    }
}

extension LocalID: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }
}
