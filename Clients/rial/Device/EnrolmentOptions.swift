public import ArgumentParser
import Foundation
import RialClient
import ServiceRuntime
import SimulatedDevice

extension RequestKeyKind: ExpressibleByArgument {}

/// The options for registering a simulated device.
struct EnrolmentOptions: ParsableArguments {
    @Option(help: "Folder with the development root that signs attestations (default: RIAL_DEVELOPMENT_ROOT_DIR).")
    var root: String?

    /// Reads RIAL_APP_IDS and RIAL_APP_ATTEST_ENVIRONMENT as the services do, with the local stack's values as defaults.
    func enrolment(_ client: APIClient) throws -> Enrolment {
        let environment = ServiceEnvironment()
        let appID = try environment.list("RIAL_APP_IDS").first ?? SimulatedDevice.developmentAppID
        let attested = try environment.optional("RIAL_APP_ATTEST_ENVIRONMENT") ?? "development"
        return Enrolment(client: client, authority: try authority(environment), appID: appID, environment: attested)
    }

    private func authority(_ environment: ServiceEnvironment) throws -> DevelopmentAttestationAuthority {
        let folder = try root ?? environment.required("RIAL_DEVELOPMENT_ROOT_DIR")
        return try DevelopmentRoot(folder: URL(fileURLWithPath: folder, isDirectory: true)).authority()
    }
}
