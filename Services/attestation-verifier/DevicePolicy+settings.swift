import Attestation
import CaptureProtocol
import Foundation
import ServiceRuntime

extension DevicePolicy {
    /// Combines the already parsed `RIAL_APP_IDS` and `RIAL_APP_ATTEST_ENVIRONMENT` with the optional `RIAL_APP_VALIDATION_CATEGORIES`,
    /// `RIAL_APP_BUNDLE_VERSIONS` and `RIAL_LEGACY_BINDINGS_UNTIL`.
    /// - Throws: ``SettingsError``.
    init(_ environment: ServiceEnvironment, appIDs: [String], attestEnvironment: AppAttestEnvironment, mode: RunMode) throws {
        self.init(
            appIDs: Set(appIDs), environment: attestEnvironment, acceptsDevelopmentRoots: mode == .development,
            validationCategories: try Self.categories(environment),
            bundleVersions: Set(try environment.list("RIAL_APP_BUNDLE_VERSIONS")),
            legacyBindingsUntil: try Self.end(environment))
    }

    private static func categories(_ environment: ServiceEnvironment) throws -> Set<UInt32> {
        let name = "RIAL_APP_VALIDATION_CATEGORIES"
        return Set(
            try environment.list(name).map { text in
                guard let category = UInt32(text) else {
                    throw SettingsError(name, "must be whole numbers, comma separated, not “\(text)”")
                }
                return category
            })
    }

    /// An RFC 3339 §5.6 time, or a date, which means the end of that day in UTC.
    private static func end(_ environment: ServiceEnvironment) throws -> Date? {
        let name = "RIAL_LEGACY_BINDINGS_UNTIL"
        guard let text = try environment.optional(name) else { return nil }
        if let moment = Timestamp.parse(text) { return moment }
        guard text.utf8.count == 10, let day = Timestamp.parse(text + "T00:00:00Z") else {
            throw SettingsError(name, "must be an RFC 3339 date or time, like 2027-01-31 or 2027-01-31T12:00:00Z, not “\(text)”")
        }
        return day.addingTimeInterval(86_400)
    }
}
