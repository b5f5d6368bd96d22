import Attestation
import Models
import ServiceRuntime

/// The environment variables of `attestation-verifier`, read once at start.
struct Settings: EnvironmentSettings {
    let common: ServiceSettings
    /// As `team.bundle`; at least one.
    let appIDs: [String]
    let appAttestEnvironment: AppAttestEnvironment
    let roots: TrustRoots
    let policy: DevicePolicy
    /// For operator requests on the admin port.
    let authorization: AdminAuthorization

    init(_ environment: ServiceEnvironment) throws {
        common = try ServiceSettings(environment, service: .attestationVerifier)
        _ = try environment.required("RIAL_APP_IDS")
        appIDs = try environment.list("RIAL_APP_IDS")
        guard appIDs.allSatisfy({ $0.split(separator: ".").count >= 2 }) else {
            throw SettingsError("RIAL_APP_IDS", "must be TEAM.bundle.id, comma separated")
        }
        appAttestEnvironment = try environment.choice("RIAL_APP_ATTEST_ENVIRONMENT", AppAttestEnvironment.self)
        roots = try Self.roots(environment, mode: common.mode)
        policy = try DevicePolicy(environment, appIDs: appIDs, attestEnvironment: appAttestEnvironment, mode: common.mode)
        authorization = try Self.authorization(environment)
    }

    /// From `RIAL_ADMIN_TOKEN`; without it the operator routes are disabled.
    static func authorization(_ environment: ServiceEnvironment) throws -> AdminAuthorization {
        let token = try environment.optional("RIAL_ADMIN_TOKEN")
        if let token, !AdminAuthorization.isFit(token) {
            throw SettingsError(
                "RIAL_ADMIN_TOKEN", "must be \(AdminAuthorization.minimumCharacters) or more printable ASCII characters without spaces")
        }
        return AdminAuthorization(token: token)
    }

    /// Apple's root, plus in development mode the roots in `RIAL_APP_ATTEST_EXTRA_ROOTS`.
    private static func roots(_ environment: ServiceEnvironment, mode: RunMode) throws -> TrustRoots {
        let variable = "RIAL_APP_ATTEST_EXTRA_ROOTS"
        guard let pem = try environment.optionalPEM(variable) else { return .apple }
        guard mode == .development else { throw SettingsError(variable, "is for development mode only") }
        do {
            return try TrustRoots.apple.adding(pem: pem)
        } catch {
            throw SettingsError(variable, "holds no certificates in PEM: \(error)")
        }
    }
}
