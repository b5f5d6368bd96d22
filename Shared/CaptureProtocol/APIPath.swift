/// The paths of the API, as clients send them and the server routes them.
public enum APIPath {
    /// Takes photos, and every capture in privacy mode. Below it are the captures that the server has.
    public static let captures = "/api/v1/captures"
    /// Takes videos.
    public static let videos = "\(captures)/video"
    /// Below it are uploads that may be resumed.
    public static let uploads = "/api/v1/uploads"
    public static let challenge = "/api/v1/devices/challenge"
    public static let registration = "/api/v1/devices/register"
    /// Takes a file to be verified.
    public static let fileVerification = "/api/v1/verify-file"
    /// Below it are the digests of files.
    public static let hashVerification = "/api/v1/verify-hash"

    public static func capture(_ id: CaptureID) -> String { "\(captures)/\(id)" }
    /// The stream of a capture's events.
    public static func events(of id: CaptureID) -> String { "\(capture(id))/events" }
    /// A capture's evidence bundle.
    public static func bundle(of id: CaptureID) -> String { "\(capture(id))/bundle" }
}
