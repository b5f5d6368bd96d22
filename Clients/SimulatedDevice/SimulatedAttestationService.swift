public import CaptureKit
import CaptureProtocol
public import Foundation

/// App Attest on a machine without it: the keys are in a folder and outlive the process, and an authority of one's own certifies them.
///
/// Several processes may use a folder: no counter is ever used twice.
public struct SimulatedAttestationService: AttestationService {
    public let isSupported: Bool
    private let keys: SimulatedKeyFolder
    private let authority: DevelopmentAttestationAuthority
    private let appID: String
    private let environment: String

    /// - Parameters:
    ///   - folder: for the private keys; created if necessary.
    ///   - isSupported: false for a device without App Attest.
    public init(
        folder: URL, authority: DevelopmentAttestationAuthority, appID: String = SimulatedDevice.developmentAppID,
        environment: String = "development", isSupported: Bool = true
    ) {
        keys = SimulatedKeyFolder(folder)
        self.authority = authority
        self.appID = appID
        self.environment = environment
        self.isSupported = isSupported
    }

    /// How often each key was to be attested. More than once is a mistake of the caller's, and the second attempt failed.
    public var attestations: [String: Int] {
        get throws { try keys.load().mapValues(\.attestations) }
    }

    public func generateKey() throws(AttestationServiceFailure) -> String {
        try change { keys in
            let device = SimulatedDevice(requestKey: .none, appID: appID, environment: environment)
            let key = Base64.encode(try device.keyID)
            keys[key] = SimulatedKey(device: device)
            return key
        }
    }

    public func attestKey(_ key: String, clientDataHash: [UInt8]) throws(AttestationServiceFailure) -> [UInt8] {
        let attested: SimulatedKey? = try change { keys in
            keys[key]?.attestations += 1
            return keys[key]
        }
        guard let attested, attested.attestations == 1 else { throw .invalidKey }
        do {
            return try attested.device.attestation(clientDataHash: clientDataHash, authority: authority, at: Date()).attestationObject
        } catch {
            throw .failed("\(error)")
        }
    }

    public func generateAssertion(_ key: String, clientDataHash: [UInt8]) throws(AttestationServiceFailure) -> [UInt8] {
        let assertion: [UInt8]? = try change { keys in
            guard let known = keys[key], known.attestations > 0 else { return nil }
            return try keys[key]?.device.assertion(clientDataHash: clientDataHash)
        }
        guard let assertion else { throw .invalidKey }
        return assertion
    }

    private func change<Result>(_ body: (inout [String: SimulatedKey]) throws -> Result) throws(AttestationServiceFailure) -> Result {
        guard isSupported else { throw .notSupported }
        do {
            return try keys.update(body)
        } catch {
            throw .failed("\(error)")
        }
    }
}
