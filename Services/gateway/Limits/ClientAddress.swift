import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// The network by which clients are rate-limited: an IPv4 address, or the /64 of an IPv6 one.
struct ClientAddress: Sendable, Hashable, CustomStringConvertible {
    let description: String
    /// For logs: the /24 of an IPv4 address, the /48 of an IPv6 one.
    let truncated: String

    /// The socket's address. If that is a trusted proxy's, the last address in `X-Forwarded-For` that is not.
    init(_ request: Request, _ context: GatewayContext, trusting proxies: [AddressRange]) {
        var address = context.remoteAddress?.ipAddress.flatMap { IPAddress($0) }
        if let socket = address, proxies.contains(where: { $0.contains(socket) }) {
            let chain = request.headers[values: .forwardedFor].flatMap { $0.split(separator: ",") }
                .map { IPAddress(forwarded: $0.trimmingCharacters(in: .whitespaces)) }
            for hop in chain.reversed() {
                guard let hop else { break }
                address = hop
                if !proxies.contains(where: { $0.contains(hop) }) { break }
            }
        }
        description = address?.network ?? "unknown"
        truncated = address?.truncated ?? "unknown"
    }
}
