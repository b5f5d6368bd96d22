public import Messaging
public import Models

/// Which service does what with which topic: the one table from which the brokers' access control lists are made (SPEC §1).
public enum TopicAccess {
    /// What every gateway reads in a group of its own, to wake those who wait.
    public static let wakes: [Topic] = [.registrationAppraised, .evidenceAssembled]

    /// The topics that a service's handlers, or its waiters, read.
    public static func reads(_ service: ServiceName) -> [Topic] {
        service == .gateway ? wakes : Topic.consumers.filter { $0.services.contains(service) }.map(\.topic)
    }

    /// The topics that a service's outbox leads to, its dead letters among them.
    public static func writes(_ service: ServiceName) -> [Topic] {
        let own: [Topic] =
            switch service {
            case .gateway: [.registrationSubmitted, .captureReceived]
            case .attestationVerifier: [.registrationAppraised, .attestationAppraised]
            case .depthAnalyzer: [.depthAnalyzed]
            // What is stuck is announced again.
            case .uploadSync: [.captureReceived, .mediaSynced]
            case .evidenceAssembler: [.evidenceAssembled]
            }
        return own + (service == .gateway ? [] : reads(service).map { $0.deadLetters(of: service) })
    }

    /// How the names of a service's consumer groups begin.
    public static func groupPrefix(_ service: ServiceName) -> String { service.rawValue + (service == .gateway ? "-" : ".") }

    /// What a service's user, named as the service is, needs at the brokers. Each makes the topics that are missing.
    public static func rights(_ service: ServiceName) -> [KafkaRight] {
        let user = service.rawValue
        return reads(service).map { KafkaRight(user: user, .read, .topic($0.rawValue)) }
            + writes(service).map { KafkaRight(user: user, .write, .topic($0.rawValue)) }
            + Topic.all.map { KafkaRight(user: user, .create, .topic($0.rawValue)) }
            + [KafkaRight(user: user, .read, .groups(prefix: groupPrefix(service)))]
    }
}
