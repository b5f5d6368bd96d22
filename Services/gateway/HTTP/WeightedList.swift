import Foundation

/// A list of weighted values from `Accept`, `Accept-Encoding` or `Accept-Language` (RFC 9110 §12.4.2, §12.5).
struct WeightedList: Sendable {
    /// In their original order, in lower case, without parameters. A weight of 0 means not acceptable. Items with an invalid weight are
    /// left out.
    let items: [(value: String, weight: Double)]

    /// - Parameter fields: the field's lines; only the first 50 items and 2,000 characters are read.
    init(_ fields: [String]) {
        items = fields.joined(separator: ",").prefix(2000).split(separator: ",").prefix(50).compactMap { item in
            let parts = item.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
            guard let value = parts.first, let weight = Self.weight(parts.dropFirst()) else { return nil }
            return (value, weight)
        }
    }

    /// The largest weight of the given values, matched by name; `nil` if the list has none of them.
    func weight(of values: String...) -> Double? { items.filter { values.contains($0.value) }.map(\.weight).max() }

    /// 1 without `q`; `nil` if it is not a valid weight.
    private static func weight(_ parameters: some Sequence<String>) -> Double? {
        guard let parameter = parameters.first(where: { $0.hasPrefix("q=") }) else { return 1 }
        guard let weight = Double(parameter.dropFirst(2)), (0...1).contains(weight) else { return nil }
        return weight
    }
}
