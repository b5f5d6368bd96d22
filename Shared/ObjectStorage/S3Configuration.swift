import Foundation

/// Where the objects are and how to be let in.
public struct S3Configuration: Sendable {
    /// `http://host:port` or `https://…`, without a path.
    public var endpoint: URL
    public var region: String
    public var bucket: String
    public var accessKeyID: String
    public var secretAccessKey: String
    /// For one request from its start to its answer's head.
    public var requestTimeout: Duration = .seconds(30)

    public init(endpoint: URL, region: String, bucket: String, accessKeyID: String, secretAccessKey: String) {
        self.endpoint = endpoint
        self.region = region
        self.bucket = bucket
        self.accessKeyID = accessKeyID
        self.secretAccessKey = secretAccessKey
    }

    /// `host`, or `host:port` where the port is not the scheme's own: what the `Host` header says and the signature covers.
    static func authority(of endpoint: URL) -> String {
        let host = endpoint.host ?? "localhost"
        guard let port = endpoint.port, port != (endpoint.scheme == "https" ? 443 : 80) else { return host }
        return "\(host):\(port)"
    }
}

/// An object as the store knows it.
public struct StoredObject: Sendable, Equatable {
    public let key: String
    public let sizeBytes: Int64
    public let etag: String
    public let contentType: String?
    public let lastModified: Date?
}

/// One page of a listing; ask again with `continuation` until it is `nil`.
public struct ObjectPage: Sendable {
    public let objects: [StoredObject]
    public let continuation: String?
}

/// An upload in parts that was begun and not finished.
public struct UnfinishedUpload: Sendable, Equatable {
    public let key: String
    public let id: String
}
