import Attestation
import CaptureProtocol
import Foundation
import Models

/// What this installation accepts of verified devices and their assertions, at the time of each appraisal (SPEC §3): a device that was
/// registered under other settings is judged by these.
struct DevicePolicy: Sendable, Equatable {
    let appIDs: Set<String>
    let environment: AppAttestEnvironment
    /// Roots besides Apple's: in development mode only.
    let acceptsDevelopmentRoots: Bool
    /// Validation categories; empty accepts all.
    var validationCategories: Set<UInt32> = []
    /// Bundle versions; empty accepts all.
    var bundleVersions: Set<String> = []
    /// Captures received from this moment on need the binding that covers everything; `nil` accepts the older ones for good.
    var legacyBindingsUntil: Date?

    /// - Returns: `nil` if the device and what its assertion covers are accepted; else the first reason, the device's before the binding's.
    ///   Nothing contradicts then, so that the check is `unavailable`, not `fail`.
    func refusal(of device: AttestedDevice, binding: AssertionBinding, receivedAt: Date) -> HardwareReason? {
        guard appIDs.contains(device.appID) else { return .appNotAccepted }
        guard device.environment == environment.rawValue else { return .environmentMismatch }
        guard acceptsDevelopmentRoots || !device.isDevelopmentRoot else { return .developmentDevice }
        // Systems before iOS 27 say neither: they are accepted.
        if !validationCategories.isEmpty, let category = device.validationCategory, !validationCategories.contains(category) {
            return .distributionNotAccepted
        }
        if !bundleVersions.isEmpty, let version = device.bundleVersion, !bundleVersions.contains(version) { return .appVersionNotAccepted }
        if let end = legacyBindingsUntil, receivedAt >= end, !binding.coversMetadata { return .bindingRetired }
        return nil
    }
}

/// What of a device the policy looks at.
struct AttestedDevice: Sendable, Equatable {
    let appID: String
    let environment: String?
    let isDevelopmentRoot: Bool
    var validationCategory: UInt32?
    var bundleVersion: String?

    /// - Parameter assertion: what the assertion itself says is newer than what the registration said.
    init(_ device: Device, appID: String, assertion: AttestationExtensions) {
        self.init(
            appID: appID, environment: device.environment, isDevelopmentRoot: device.isDevelopmentRoot,
            validationCategory: assertion.validationCategory ?? device.validationCategory,
            bundleVersion: assertion.bundleVersion.map(BundleVersion.storable) ?? device.bundleVersion)
    }

    init(
        appID: String, environment: String?, isDevelopmentRoot: Bool, validationCategory: UInt32? = nil, bundleVersion: String? = nil
    ) {
        self.appID = appID
        self.environment = environment
        self.isDevelopmentRoot = isDevelopmentRoot
        self.validationCategory = validationCategory
        self.bundleVersion = bundleVersion
    }
}

enum BundleVersion {
    static let maximumCharacters = 64

    /// A version as it can be kept: what does not print is left out, what is long is cut.
    static func storable(_ text: String) -> String {
        var kept = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.lazy.filter({ (0x20...0x7e).contains($0.value) }).prefix(maximumCharacters) {
            kept.append(scalar)
        }
        return String(kept)
    }
}
