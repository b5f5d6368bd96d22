public import Messaging
public import Models

/// Which service reads and writes which topic: the single source of the brokers' access control lists (SPEC §1).
public enum TopicAccess {
    /// The topics that each gateway instance reads in its own consumer group, to wake waiters.
    public static let wakes: [Topic] = [.registrationAppraised, .evidenceAssembled, .evidenceLogged, .captureWithdrawn]

    /// The topics that a service's handlers or waiters read.
    public static func reads(_ service: ServiceName) -> [Topic] {
        service == .gateway ? wakes : Topic.consumers.filter { $0.services.contains(service) }.map(\.topic)
    }

    /// The topics that a service's outbox is published to, including its dead-letter topics.
    public static func writes(_ service: ServiceName) -> [Topic] {
        let own: [Topic] =
            switch service {
            case .gateway: [.registrationSubmitted, .captureReceived, .videoReceived, .captureWithdrawn]
            case .attestationVerifier: [.registrationAppraised, .attestationAppraised, .deviceRevoked]
            case .depthAnalyzer: [.depthAnalyzed]
            // It announces stuck captures again.
            case .uploadSync: [.captureReceived, .videoReceived, .mediaSynced]
            case .evidenceAssembler: [.evidenceAssembled]
            case .transparencyLog: [.evidenceLogged]
            }
        return own + (service == .gateway ? [] : reads(service).map { $0.deadLetters(of: service) })
    }

    /// The prefix of the service's consumer group names.
    public static func groupPrefix(_ service: ServiceName) -> String { service.rawValue + (service == .gateway ? "-" : ".") }

    /// The access rights of the service's Kafka user, which has the service's name. Each service may create all missing topics.
    public static func rights(_ service: ServiceName) -> [KafkaRight] {
        let user = service.rawValue
        return reads(service).map { KafkaRight(user: user, .read, .topic($0.rawValue)) }
            + writes(service).map { KafkaRight(user: user, .write, .topic($0.rawValue)) }
            + Topic.all.map { KafkaRight(user: user, .create, .topic($0.rawValue)) }
            + [KafkaRight(user: user, .read, .groups(prefix: groupPrefix(service)))]
    }
}
