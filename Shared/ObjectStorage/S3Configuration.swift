public import Foundation
public import Secrets

/// The bucket's address and credentials.
public struct S3Configuration: Sendable {
    /// `http://host:port` or `https://…`, without a path.
    public var endpoint: URL
    public var region: String
    public var bucket: String
    public var accessKeyID: String
    public var secretAccessKey: Secret<String>
    /// The timeout from a request's start to its response head.
    public var requestTimeout: Duration = .seconds(30)

    public init(endpoint: URL, region: String, bucket: String, accessKeyID: String, secretAccessKey: Secret<String>) {
        self.endpoint = endpoint
        self.region = region
        self.bucket = bucket
        self.accessKeyID = accessKeyID
        self.secretAccessKey = secretAccessKey
    }

    /// `host`, or `host:port` if the port is not the scheme's default: the value of the `Host` header, which is signed.
    static func authority(of endpoint: URL) -> String {
        let host = endpoint.host ?? "localhost"
        guard let port = endpoint.port, port != (endpoint.scheme == "https" ? 443 : 80) else { return host }
        return "\(host):\(port)"
    }
}

extension S3Configuration: CustomStringConvertible, CustomReflectable {
    /// Never contains the secret.
    public var description: String { "\(bucket) at \(endpoint) in \(region) as \(accessKeyID)" }
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
