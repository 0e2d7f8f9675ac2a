r"""What a claim is (`core`), how a section is written (`claim`), and vocabulary that papers share; knows no paper."""
