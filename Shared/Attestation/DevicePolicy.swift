public import CaptureProtocol
public import Foundation
public import Models

/// Which verified devices and assertions this installation accepts (SPEC §3). It applies at each appraisal, also to devices that were
/// registered under other settings.
public struct DevicePolicy: Sendable, Equatable {
    public let appIDs: Set<String>
    public let environment: AppAttestEnvironment
    /// Whether to accept roots besides Apple's: only in development mode.
    public let acceptsDevelopmentRoots: Bool
    /// Validation categories; empty accepts all.
    public var validationCategories: Set<UInt32> = []
    /// Bundle versions; empty accepts all.
    public var bundleVersions: Set<String> = []
    /// Captures received from this time on need the binding that covers everything; `nil` accepts the older bindings without a time limit.
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

    /// - Returns: `nil` if the device and its binding are accepted; else the first reason, checking the device before the binding. A
    ///   refusal is not a contradiction, so the check becomes `unavailable`, not `fail`.
    public func refusal(of device: AttestedDevice, binding: AssertionBinding, receivedAt: Date) -> HardwareReason? {
        guard appIDs.contains(device.appID) else { return .appNotAccepted }
        guard device.environment == environment.rawValue else { return .environmentMismatch }
        guard acceptsDevelopmentRoots || !device.isDevelopmentRoot else { return .developmentDevice }
        // Systems before iOS 27 attest neither of the next two, and are accepted.
        if !validationCategories.isEmpty, let category = device.validationCategory, !validationCategories.contains(category) {
            return .distributionNotAccepted
        }
        if !bundleVersions.isEmpty, let version = device.bundleVersion, !bundleVersions.contains(version) { return .appVersionNotAccepted }
        // Whether the chain of a recording is intact is a check of its own.
        if let end = legacyBindingsUntil, receivedAt >= end, !binding.signedParts(isChainIntact: true).contains(.metadata) {
            return .bindingRetired
        }
        return nil
    }
}

/// The attributes of a device that the policy needs.
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

/// `CFBundleVersion` as an attestation or assertion states it: text of the app, of any length.
public enum BundleVersion {
    public static let maximumCharacters = 64

    /// The version in its stored form: printable ASCII only, at most ``maximumCharacters``.
    public static func storable(_ text: String) -> String {
        var kept = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.lazy.filter({ (0x20...0x7e).contains($0.value) }).prefix(maximumCharacters) {
            kept.append(scalar)
        }
        return String(kept)
    }
}
