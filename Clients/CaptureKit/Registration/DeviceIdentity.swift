public import CaptureProtocol
public import Foundation

/// This device as the server knows it, or will know it: its keys and how far its registration has come.
///
/// A device may have several: after a new registration the earlier identities stay until the captures that they signed are done.
public struct DeviceIdentity: Codable, Sendable, Equatable {
    /// The App Attest key's identifier, as the ``AttestationService`` gave it; `nil` where App Attest is not supported.
    public let attestationKeyID: String?
    /// Signs requests.
    public let requestKey: RequestKey
    /// What the ``RequestKeyService`` needs to sign with ``requestKey``.
    public let requestKeyReference: Base64Bytes
    public internal(set) var state: State

    public init(attestationKeyID: String?, requestKey: RequestKeyPair, state: State = .keyGenerated) {
        self.attestationKeyID = attestationKeyID
        self.requestKey = requestKey.publicKey
        requestKeyReference = Base64Bytes(requestKey.reference)
        self.state = state
    }

    /// The steps of a registration. Each is stored before the next begins.
    public enum State: Codable, Sendable, Equatable {
        /// The keys exist.
        case keyGenerated
        /// The server gave a challenge.
        case challenged(Challenge)
        /// Apple may be certifying the key. A process that finds this state does not know what became of the call that another process
        /// made, so it takes the key as used.
        case attesting
        /// The registration can be sent: the same bytes each time, so that the server answers a repeated one as it did the first.
        case attested(body: Base64Bytes, since: Date)
        /// The server's answer.
        case registered(RegistrationResult)
    }

    /// A challenge of the server, for one attestation.
    public struct Challenge: Codable, Sendable, Equatable {
        /// 32 bytes.
        public let bytes: Base64Bytes
        /// Until when it can be used, by this device's clock; earlier than the server's limit, so that the registration arrives in time.
        public let usableUntil: Date

        public init(bytes: [UInt8], usableUntil: Date) {
            self.bytes = Base64Bytes(bytes)
            self.usableUntil = usableUntil
        }
    }

    /// The server's answer; `nil` while not registered.
    public var registration: RegistrationResult? {
        if case .registered(let result) = state { result } else { nil }
    }

    /// `nil` while not registered.
    public var deviceID: DeviceID? { registration?.deviceID }
}
