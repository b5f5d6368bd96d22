public import Foundation

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
