r"""Section 4: adapting to the inter-task geometry."""
