/// A Kafka topic of the pipeline (SPEC §1).
public struct Topic: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }

    public static let registrationSubmitted = Topic(rawValue: "rial.device.registration-submitted.v1")
    public static let registrationAppraised = Topic(rawValue: "rial.device.registration-appraised.v1")
    public static let deviceRevoked = Topic(rawValue: "rial.device.revoked.v1")
    public static let captureReceived = Topic(rawValue: "rial.capture.received.v1")
    public static let videoReceived = Topic(rawValue: "rial.capture.video-received.v1")
    public static let attestationAppraised = Topic(rawValue: "rial.capture.attestation-appraised.v1")
    public static let depthAnalyzed = Topic(rawValue: "rial.capture.depth-analyzed.v1")
    public static let mediaSynced = Topic(rawValue: "rial.capture.media-synced.v1")
    public static let evidenceAssembled = Topic(rawValue: "rial.capture.evidence-assembled.v1")
    public static let evidenceLogged = Topic(rawValue: "rial.capture.evidence-logged.v1")
    /// Written by the database's function `rial_withdraw`.
    public static let captureWithdrawn = Topic(rawValue: "rial.capture.withdrawn.v1")

    /// How much later than at once `service` may see this topic's records.
    ///
    /// People wait for a photo's evidence, which takes about a tenth of a second. Most of that is the analysis of its pixels, which must
    /// neither begin nor be known later. The other two parts take a few milliseconds and are there before it, even if both of their records
    /// are seen later. Somebody waits for a registration, and the gateway wakes those who wait for an event. A video takes seconds, and
    /// nobody looks at what is left.
    public func tolerableDelay(for service: ServiceName) -> Duration {
        switch (self, service) {
        case (.captureReceived, .depthAnalyzer), (.depthAnalyzed, _): .zero
        case (.captureReceived, _), (.attestationAppraised, _), (.mediaSynced, _): .milliseconds(40)
        case (_, .gateway): .milliseconds(50)
        case (.registrationSubmitted, _): .milliseconds(100)
        default: .milliseconds(250)
        }
    }

    /// The dead-letter topic of `service` for this topic's records.
    public func deadLetters(of service: ServiceName) -> Topic { Topic(rawValue: "\(rawValue).\(service.rawValue).dlq") }

    /// The consumer group in which the instances of `service` share this topic's records.
    ///
    /// One for each topic: in a shared group, members with different topics would trigger rebalances for each other.
    public func consumerGroup(of service: ServiceName) -> String { "\(service.rawValue).\(rawValue)" }

    /// Every topic with the services that have a dead-letter topic for it.
    public static let consumers: [(topic: Topic, services: [ServiceName])] = [
        (.registrationSubmitted, [.attestationVerifier]),
        (.registrationAppraised, []),
        (.deviceRevoked, [.evidenceAssembler]),
        (.captureReceived, [.attestationVerifier, .depthAnalyzer, .uploadSync]),
        (.videoReceived, [.attestationVerifier, .depthAnalyzer, .uploadSync]),
        (.attestationAppraised, [.evidenceAssembler]),
        (.depthAnalyzed, [.evidenceAssembler]),
        (.mediaSynced, [.evidenceAssembler]),
        (.evidenceAssembled, [.transparencyLog]),
        (.evidenceLogged, [.evidenceAssembler]),
        (.captureWithdrawn, [.uploadSync]),
    ]

    /// Every topic and dead-letter topic of the system.
    public static let all: [Topic] = consumers.flatMap { entry in
        [entry.topic] + entry.services.map(entry.topic.deadLetters)
    }
}

/// A message that crosses a service boundary.
public protocol Event: Codable, Sendable {
    static var topic: Topic { get }
    /// The record's key: the id of the capture, the registration or the device.
    var partitionKey: String { get }
}
