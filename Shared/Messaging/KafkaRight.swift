import CRdKafka

/// An entry of the brokers' access control lists: an operation that a user may perform, from any host.
public struct KafkaRight: Sendable, Hashable {
    /// The object of the operation.
    public enum Resource: Sendable, Hashable {
        case topic(String)
        /// All consumer groups with this name prefix.
        case groups(prefix: String)
    }
    /// Read and write include describe.
    public enum Operation: String, Sendable, Hashable, CaseIterable { case read, write, create }

    /// The login name.
    public let user: String
    public let operation: Operation
    public let resource: Resource

    public init(user: String, _ operation: Operation, _ resource: Resource) {
        self.user = user
        self.operation = operation
        self.resource = resource
    }
}

extension KafkaAdmin {
    /// Adds missing rights; removes none.
    /// - Throws: the first ``KafkaError``; the other rights are still added. `SECURITY_DISABLED` if the brokers have no access control
    ///   lists.
    public func allow(_ rights: [KafkaRight]) async throws {
        guard !rights.isEmpty else { return }
        try await client.allow(rights)
    }
}

extension AdminClient {
    func allow(_ rights: [KafkaRight]) throws {
        let client = try connected()
        var bindings: [OpaquePointer?] = []
        defer { for binding in bindings { rd_kafka_AclBinding_destroy(binding) } }
        for right in rights { bindings.append(try Self.binding(of: right)) }
        let event = try result(of: RD_KAFKA_ADMIN_OP_CREATEACLS) { options, queue in
            rd_kafka_CreateAcls(client.handle, &bindings, bindings.count, options, queue)
        }
        defer { rd_kafka_event_destroy(event) }
        var count = 0
        let results = rd_kafka_CreateAcls_result_acls(rd_kafka_event_CreateAcls_result(event), &count)
        for result in UnsafeBufferPointer(start: results, count: count) {
            // The event owns the error.
            guard let error = rd_kafka_acl_result_error(result) else { continue }
            throw KafkaError(rd_kafka_error_code(error), message: rd_kafka_error_string(error).map { String(cString: $0) })
        }
    }

    private static func binding(of right: KafkaRight) throws -> OpaquePointer {
        let (kind, name, pattern): (rd_kafka_ResourceType_t, String, rd_kafka_ResourcePatternType_t) =
            switch right.resource {
            case .topic(let name): (RD_KAFKA_RESOURCE_TOPIC, name, RD_KAFKA_RESOURCE_PATTERN_LITERAL)
            case .groups(let prefix): (RD_KAFKA_RESOURCE_GROUP, prefix, RD_KAFKA_RESOURCE_PATTERN_PREFIXED)
            }
        let operation =
            switch right.operation {
            case .read: RD_KAFKA_ACL_OPERATION_READ
            case .write: RD_KAFKA_ACL_OPERATION_WRITE
            case .create: RD_KAFKA_ACL_OPERATION_CREATE
            }
        return try item {
            rd_kafka_AclBinding_new(
                kind, name, pattern, "User:" + right.user, "*", operation, RD_KAFKA_ACL_PERMISSION_TYPE_ALLOW, $0, $1)
        }
    }
}
