public import CaptureProtocol
public import Foundation
public import Models

/// What this installation accepts of verified devices and their assertions, at the time of each appraisal (SPEC §3): a device that was
/// registered under other settings is judged by these.
public struct DevicePolicy: Sendable, Equatable {
    public let appIDs: Set<String>
    public let environment: AppAttestEnvironment
    /// Roots besides Apple's: in development mode only.
    public let acceptsDevelopmentRoots: Bool
    /// Validation categories; empty accepts all.
    public var validationCategories: Set<UInt32> = []
    /// Bundle versions; empty accepts all.
    public var bundleVersions: Set<String> = []
    /// Captures received from this moment on need the binding that covers everything; `nil` accepts the older ones for good.
    public var legacyBindingsUntil: Date?

    public init(
        appIDs: Set<String>, environment: AppAttestEnvironment, acceptsDevelopmentRoots: Bool, validationCategories: Set<UInt32> = [],
        bundleVersions: Set<String> = [], legacyBindingsUntil: Date? = nil
    ) {
        self.appIDs = appIDs
        self.environment = environment
        self.acceptsDevelopmentRoots = acceptsDevelopmentRoots
        self.validationCategories = validationCategories
        self.bundleVersions = bundleVersions
        self.legacyBindingsUntil = legacyBindingsUntil
    }

    /// - Returns: `nil` if the device and what its assertion covers are accepted; else the first reason, the device's before the binding's.
    ///   Nothing contradicts then, so that the check is `unavailable`, not `fail`.
    public func refusal(of device: AttestedDevice, binding: AssertionBinding, receivedAt: Date) -> HardwareReason? {
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
public struct AttestedDevice: Sendable, Equatable {
    public let appID: String
    public let environment: String?
    public let isDevelopmentRoot: Bool
    public var validationCategory: UInt32?
    public var bundleVersion: String?

    public init(
        appID: String, environment: String?, isDevelopmentRoot: Bool, validationCategory: UInt32? = nil, bundleVersion: String? = nil
    ) {
        self.appID = appID
        self.environment = environment
        self.isDevelopmentRoot = isDevelopmentRoot
        self.validationCategory = validationCategory
        self.bundleVersion = bundleVersion
    }
}

public enum BundleVersion {
    public static let maximumCharacters = 64

    /// A version as it can be kept: what does not print is left out, what is long is cut.
    public static func storable(_ text: String) -> String {
        var kept = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.lazy.filter({ (0x20...0x7e).contains($0.value) }).prefix(maximumCharacters) {
            kept.append(scalar)
        }
        return String(kept)
    }
}
