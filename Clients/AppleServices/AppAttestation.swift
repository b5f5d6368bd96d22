public import CaptureKit
import DeviceCheck
import Foundation

/// App Attest. In the simulator, and in extensions of most kinds, it is not supported.
public struct AppAttestation: AttestationService {
    public init() {}

    public var isSupported: Bool { DCAppAttestService.shared.isSupported }

    public func generateKey() async throws(AttestationServiceFailure) -> String {
        do {
            return try await DCAppAttestService.shared.generateKey()
        } catch {
            throw AttestationServiceFailure(error)
        }
    }

    public func attestKey(_ key: String, clientDataHash: [UInt8]) async throws(AttestationServiceFailure) -> [UInt8] {
        do {
            return Array(try await DCAppAttestService.shared.attestKey(key, clientDataHash: Data(clientDataHash)))
        } catch {
            throw AttestationServiceFailure(error)
        }
    }

    public func generateAssertion(_ key: String, clientDataHash: [UInt8]) async throws(AttestationServiceFailure) -> [UInt8] {
        do {
            return Array(try await DCAppAttestService.shared.generateAssertion(key, clientDataHash: Data(clientDataHash)))
        } catch {
            throw AttestationServiceFailure(error)
        }
    }
}

extension AttestationServiceFailure {
    init(_ error: any Error) {
        switch (error as? DCError)?.code {
        case .featureUnsupported: self = .notSupported
        case .invalidKey: self = .invalidKey
        case .serverUnavailable: self = .serverUnavailable
        case .invalidInput: self = .failed("App Attest: invalid input")
        case .unknownSystemFailure: self = .failed("App Attest: unknown system failure")
        default: self = .failed("App Attest: \(error)")
        }
    }
}
